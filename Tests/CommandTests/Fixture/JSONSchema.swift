import Foundation
import TestSupport
import Testing

/// Validates the program's JSON output against its schemas.
enum JSONSchema {
    /// Expects each line of a file to match a schema.
    ///
    /// - Parameters:
    ///   - schema: Its name in `schemas`. It may refer to definitions of `events-1`, and to `check-1`.
    ///   - definition: The part of the schema for a line; nil for the whole schema.
    static func expect(_ file: URL, toFit schema: String, definition: String? = nil) async throws {
        let schemas = Project.file("schemas")
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator as Validator
            directory, name, file = sys.argv[1:4]
            events = json.load(open(f"{directory}/events-1.json"))
            check = json.load(open(f"{directory}/check-1.json"))
            # Inline references, because not every version of the validator resolves them.
            schema = json.loads(open(f"{directory}/{name}.json").read()
                .replace(events["$id"] + "#", "#").replace(f'"$ref": "{check["$id"]}"', '"$ref": "#/$defs/check"'))
            schema["$defs"] = events["$defs"] | {"check": check} | schema.get("$defs", {})
            Validator.check_schema(schema)
            if len(sys.argv) > 4:
                schema = {"$defs": schema["$defs"], "$ref": "#/$defs/" + sys.argv[4]}
            for line in open(file):
                for error in Validator(schema).iter_errors(json.loads(line)):
                    sys.exit(f"{line}: {error.message}")
            """
        // The system's interpreter, which has Debian's jsonschema package.
        let command =
            ["/usr/bin/python3", "-c", script, schemas.path, schema, file.path] + (definition.map { [$0] } ?? [])
        let result = try await ChildProcess.run(command, environment: ChildProcess.baseEnvironment, within: 30)
        #expect(result.end == .exit(0), "\(result.standardError)")
    }
}
