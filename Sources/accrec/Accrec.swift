import AccrecCommands

@main
struct Accrec {
    @MainActor
    static func main() async {
        await AccrecCommand.runAndExit()
    }
}
