import ACCAudioRecorder
import ArgumentParser

/// Shell completion: the scripts of `--generate-completion-script`, which are the parser's own with a fix for bash, and
/// the names that these scripts request from the program.
enum Completions {
    /// The completion script, changed so that bash treats the names of sources and profiles as data.
    ///
    /// The parser's script passes them to `compgen -W`, which expands them like shell words, so a source's name could
    /// run commands when the completion key is pressed. Bash also splits words at colons, which names may contain.
    ///
    /// - Parameter script: The parser's script. One for another shell is returned unchanged.
    static func hardened(_ script: String) -> String {
        guard script.hasPrefix("#!/bin/bash\n") else { return script }
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard let call = line.firstRange(of: namesExpanded), line.hasSuffix(")\"") else { return String(line) }
            return line[..<call.lowerBound] + "__accrec_add_names " + line[call.upperBound...].dropLast(2)
        }
        return lines.joined(separator: "\n")
            .replacing("\n_accrec() {\n", with: "\n\(functions)\n_accrec() {\n")
            .replacing("-F _accrec accrec", with: "-F _accrec_whole_words accrec")
    }

    /// Names in the form that the requesting shell's script expects, one per line. Names that are not printable are
    /// left out.
    static func offered(_ names: [String], to shell: CompletionShell? = .requesting) -> [String] {
        let names = names.filter { PrintableText.isPrintable($0) }
        // In zsh, everything after the first colon is a description.
        guard shell == .zsh else { return names }
        return names.map { $0.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }
    }

    /// The value of an option in the words of a command line that a shell is completing, given as `--option value` or
    /// `--option=value`; nil if it is not given.
    static func value(of option: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == option { return words.dropFirst(index + 1).first }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }

    private static let namesExpanded = #"__accrec_add_completions -W "$(__accrec_custom_complete "#

    private static let functions = #"""
        # Offers the names that the program prints, as they are: nothing in them is expanded.
        __accrec_add_names() {
            local name typed="${cur}" plain='' isQuoted=false
            [[ "${COMP_WORDS[${COMP_CWORD}]}" != [\'\"]* ]] || isQuoted=true
            # In a word without quotes readline leaves some characters that bash expands. There it gets quoted names.
            "${isQuoted}" || compopt +o filenames
            if [[ "${COMP_WORDS[${COMP_CWORD}]}" != \'* ]]; then
                while [[ "${typed}" = *\\* ]]; do
                    plain+="${typed%%\\*}"
                    typed="${typed#*\\}"
                    plain+="${typed:0:1}"
                    typed="${typed:1}"
                done
            fi
            plain+="${typed}"
            while IFS='' read -r name; do
                [[ -n "${name}" && "${name:0:${#plain}}" = "${plain}" ]] || continue
                "${isQuoted}" || printf -v name %q "${name}"
                COMPREPLY+=("${name}")
            done < <(__accrec_custom_complete "${@}")
        }

        # Completes with words that are not broken at colons.
        _accrec_whole_words() {
            local -a words=()
            local -i index current=0
            local word rest="${COMP_LINE}" before=''
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[${index}]}"
                if [[ "${index}" -gt 0 && "${rest}" != [[:space:]]* && ("${word}" = :* || "${words[-1]}" = *:) ]]; then
                    [[ "${index}" -ne "${COMP_CWORD}" ]] || before="${words[-1]}"
                    words[-1]+="${word}"
                else
                    words+=("${word}")
                fi
                if [[ "${index}" -eq "${COMP_CWORD}" ]]; then
                    current="$((${#words[@]} - 1))"
                    # The current word is a colon, and nothing of what follows it is typed.
                    [[ -n "${2}" || "${word}" != *: ]] || before="${words[-1]}"
                fi
                rest="${rest#*"${word}"}"
            done
            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="${current}"
            _accrec "${1}" "${before}${2}" "${COMP_WORDS[${COMP_CWORD} - 1]}"
            # Bash inserts what follows the last colon.
            COMPREPLY=("${COMPREPLY[@]#"${before}"}")
        }

        """#
}
