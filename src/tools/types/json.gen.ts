// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `json`. */
export interface JsonTools {
  /** {@link PreviewJsonInput} to {@link PreviewJsonOutput}. */
  readonly preview_json: { readonly input: PreviewJsonInput; readonly output: PreviewJsonOutput };
  /** {@link GetJsonValueInput} to {@link GetJsonValueOutput}. */
  readonly get_json_value: { readonly input: GetJsonValueInput; readonly output: GetJsonValueOutput };
  /** {@link ListJsonKeysInput} to {@link ListJsonKeysOutput}. */
  readonly list_json_keys: { readonly input: ListJsonKeysInput; readonly output: ListJsonKeysOutput };
  /** {@link ValidateJsonInput} to {@link ValidateJsonOutput}. */
  readonly validate_json: { readonly input: ValidateJsonInput; readonly output: ValidateJsonOutput };
  /** {@link QueryJsonInput} to {@link QueryJsonOutput}. */
  readonly query_json: { readonly input: QueryJsonInput; readonly output: QueryJsonOutput };
  /** {@link SetJsonValueInput} to {@link SetJsonValueOutput}. */
  readonly set_json_value: { readonly input: SetJsonValueInput; readonly output: SetJsonValueOutput };
  /** {@link DeleteJsonKeyInput} to {@link DeleteJsonKeyOutput}. */
  readonly delete_json_key: { readonly input: DeleteJsonKeyInput; readonly output: DeleteJsonKeyOutput };
  /** {@link AppendJsonArrayInput} to {@link AppendJsonArrayOutput}. */
  readonly append_json_array: { readonly input: AppendJsonArrayInput; readonly output: AppendJsonArrayOutput };
  /** {@link MergeJsonObjectInput} to {@link MergeJsonObjectOutput}. */
  readonly merge_json_object: { readonly input: MergeJsonObjectInput; readonly output: MergeJsonObjectOutput };
  /** {@link EditJsonInput} to {@link EditJsonOutput}. */
  readonly edit_json: { readonly input: EditJsonInput; readonly output: EditJsonOutput };
}

/** What `preview_json` takes. Shows a JSON file cut to max_depth, and what is left out. */
export interface PreviewJsonInput {
  /** The path */
  readonly path: string;
  /** Levels below the root that are shown */
  readonly max_depth?: number | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `preview_json` returns as `value`. */
export interface PreviewJsonOutput {
  /** The path */
  readonly path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token: string;
  /** The document as JSON, with markers where it was cut */
  readonly preview: string;
  /** Values that did not fit and are shown cut */
  readonly cut?: string | undefined;
}

/** What `get_json_value` takes. Returns the value at a JSONPath, large ones in pages; several matches are listed. */
export interface GetJsonValueInput {
  /** The path */
  readonly path: string;
  /** $.users[0].name, $['a b'], $.a[-1] */
  readonly json_path: string;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `get_json_value` returns as `value`. */
export interface GetJsonValueOutput {
  /** The path */
  readonly path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path?: string | undefined;
  /** object, array, string, number, boolean or null */
  readonly kind?: string | undefined;
  /** The value as JSON text, with markers where it was cut */
  readonly json?: string | undefined;
  /** Values that did not fit and are shown cut */
  readonly cut?: string | undefined;
  /** Each place with its value */
  readonly matches?: readonly {
    /** A JSONPath to a place in the file; in a result it is normalized */
    readonly json_path: string;
    /** object, array, string, number, boolean or null */
    readonly kind: string;
    /** The value as JSON text, with markers where it was cut */
    readonly json: string;
    /** Values that did not fit and are shown cut */
    readonly cut?: boolean | undefined;
  }[] | undefined;
  /** What else there is to say */
  readonly notices: readonly string[];
  /** What is left, in words */
  readonly left?: string | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `list_json_keys` takes. Lists the keys at a JSONPath with their types; of an array its length. */
export interface ListJsonKeysInput {
  /** The path */
  readonly path: string;
  /** $ unless given */
  readonly json_path?: string | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `list_json_keys` returns as `value`. */
export interface ListJsonKeysOutput {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token: string;
  /** object, array, string, number, boolean or null */
  readonly kind: string;
  /** How many there are in all */
  readonly total: number;
  /** The keys, in the order of the document */
  readonly keys: readonly {
    /** Its name */
    readonly name: string;
    /** object, array, string, number, boolean or null */
    readonly kind: string;
    readonly unnamed?: true | undefined;
  }[];
  /** How many are not shown */
  readonly more?: number | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `validate_json` takes. Checks that a file is strict JSON; else says line, column and cause. */
export interface ValidateJsonInput {
  /** The path */
  readonly path: string;
}

/** What `validate_json` returns as `value`. */
export interface ValidateJsonOutput {
  /** The path */
  readonly path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token: string;
  /** object, array, string, number, boolean or null */
  readonly kind: string;
  /** How many there are in all */
  readonly total: number;
  /** The keys, in the order of the document */
  readonly keys: readonly string[];
  /** How many bytes it has */
  readonly size_bytes: number;
}

/** What `query_json` takes. Lists all values that a JSONPath query selects, each with its path. */
export interface QueryJsonInput {
  /** The path */
  readonly path: string;
  /** RFC 9535: $..name, $.users[?@.age > 18] */
  readonly json_path: string;
  /** At most so many */
  readonly limit?: number | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `query_json` returns as `value`. */
export interface QueryJsonOutput {
  /** The path */
  readonly path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token: string;
  /** Each place with its value */
  readonly matches: readonly {
    /** A JSONPath to a place in the file; in a result it is normalized */
    readonly json_path: string;
    /** object, array, string, number, boolean or null */
    readonly kind: string;
    /** The value as JSON text, with markers where it was cut */
    readonly json: string;
    /** Values that did not fit and are shown cut */
    readonly cut?: boolean | undefined;
  }[];
  /** complete; matches: there are more; steps or time: it was stopped early */
  readonly end: string;
  /** What is odd but does no harm */
  readonly warnings: readonly string[];
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `set_json_value` takes. Sets the value at a JSONPath, or adds its last key. No other byte changes. */
export interface SetJsonValueInput extends CommonArguments {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** JSON text: 25, "\"text\"", {"a": 1} */
  readonly value: string;
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `set_json_value` returns as `value`. */
export interface SetJsonValueOutput {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What changed */
  readonly changed: {
    readonly at: number;
    /** What went */
    readonly removed: number;
    readonly inserted: number;
    readonly line: number;
  };
  /** The change as a unified diff; empty when nothing changed */
  readonly hunk: string;
  /** The new value as JSON text, cut when it is long */
  readonly new?: string | undefined;
  /** Bytes that the value takes in the file */
  readonly value_bytes: number;
  /** Items of the array after an append; keys that were merged */
  readonly count?: number | undefined;
  /** How often the key occurred, when more than once */
  readonly duplicates?: number | undefined;
}

/** What `delete_json_key` takes. Deletes the key or array item at a JSONPath. */
export interface DeleteJsonKeyInput extends CommonArguments {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `delete_json_key` returns as `value`. */
export interface DeleteJsonKeyOutput {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What changed */
  readonly changed: {
    readonly at: number;
    /** What went */
    readonly removed: number;
    readonly inserted: number;
    readonly line: number;
  };
  /** The change as a unified diff; empty when nothing changed */
  readonly hunk: string;
  /** The new value as JSON text, cut when it is long */
  readonly new?: string | undefined;
  /** Bytes that the value takes in the file */
  readonly value_bytes: number;
  /** Items of the array after an append; keys that were merged */
  readonly count?: number | undefined;
  /** How often the key occurred, when more than once */
  readonly duplicates?: number | undefined;
}

/** What `append_json_array` takes. Appends a value to the array at a JSONPath. */
export interface AppendJsonArrayInput extends CommonArguments {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** JSON text */
  readonly value: string;
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `append_json_array` returns as `value`. */
export interface AppendJsonArrayOutput {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What changed */
  readonly changed: {
    readonly at: number;
    /** What went */
    readonly removed: number;
    readonly inserted: number;
    readonly line: number;
  };
  /** The change as a unified diff; empty when nothing changed */
  readonly hunk: string;
  /** The new value as JSON text, cut when it is long */
  readonly new?: string | undefined;
  /** Bytes that the value takes in the file */
  readonly value_bytes: number;
  /** Items of the array after an append; keys that were merged */
  readonly count?: number | undefined;
  /** How often the key occurred, when more than once */
  readonly duplicates?: number | undefined;
}

/** What `merge_json_object` takes. Sets the keys of updates in the object at a JSONPath; others stay. */
export interface MergeJsonObjectInput extends CommonArguments {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** JSON text of an object */
  readonly updates: string;
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `merge_json_object` returns as `value`. */
export interface MergeJsonObjectOutput {
  /** The path */
  readonly path: string;
  /** A JSONPath to a place in the file; in a result it is normalized */
  readonly json_path: string;
  /** How often it has been written */
  readonly version: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What changed */
  readonly changed: {
    readonly at: number;
    /** What went */
    readonly removed: number;
    readonly inserted: number;
    readonly line: number;
  };
  /** The change as a unified diff; empty when nothing changed */
  readonly hunk: string;
  /** The new value as JSON text, cut when it is long */
  readonly new?: string | undefined;
  /** Bytes that the value takes in the file */
  readonly value_bytes: number;
  /** Items of the array after an append; keys that were merged */
  readonly count?: number | undefined;
  /** How often the key occurred, when more than once */
  readonly duplicates?: number | undefined;
}

/** What `edit_json` takes. Makes many edits in one commit, all or none. insert puts an item before an index, or a new key. */
export interface EditJsonInput extends CommonArguments {
  /** File of edits that name none */
  readonly path?: string | undefined;
  /** The edits, in order */
  readonly edits: readonly {
    /** The path */
    readonly path?: string | undefined;
    readonly op: "set" | "delete" | "append" | "insert" | "merge" | "rename";
    /** A JSONPath to a place in the file; in a result it is normalized */
    readonly json_path: string;
    /** JSON text: 25, "\"text\""; of rename the new key */
    readonly value?: string | undefined;
  }[];
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `edit_json` returns as `value`. */
export interface EditJsonOutput {
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    /** How often it has been written */
    readonly version: number;
    /** The version; send it as expectedVersion */
    readonly token?: string | undefined;
    /** The edits, in order */
    readonly edits: readonly {
      readonly op: "set" | "delete" | "append" | "insert" | "merge" | "rename";
      /** A JSONPath to a place in the file; in a result it is normalized */
      readonly json_path: string;
      /** What changed */
      readonly changed: {
        readonly at: number;
        /** What went */
        readonly removed: number;
        readonly inserted: number;
        readonly line: number;
      };
    }[];
    /** The change as a unified diff; empty when nothing changed */
    readonly hunk: string;
  }[];
  /** One line for each edit */
  readonly lines: readonly string[];
}
