import AccrecCommands

@main
struct Accrec {
    static func main() async {
        await AccrecCommand.runAndExit()
    }
}
