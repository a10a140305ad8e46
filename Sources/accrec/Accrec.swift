import AccrecCommands

@main
struct Accrec {
    static func main() {
        AccrecCommand.runAndExit()
    }
}
