/// The script of the page, in the parts that follow, of one scope. It uses no library.
enum PageScript {
    static var text: String { [data, list, plots, take, player, start].joined(separator: "\n") }
}
