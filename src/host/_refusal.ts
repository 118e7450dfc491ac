// Owns: what the system says about other people's files, in our words.
// Must never: let a host path through. The system's own words hold them: they are the cause, for the host's log.

import { HoldfastError, say, type Reason } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";

/** The code of a failed call of the system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Runs a call of the system; what it throws becomes a {@link HoldfastError}. */
export function asked<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw HoldfastError.is(error) ? error : refusalOf(error);
  }
}

export function refusalOf(cause: unknown): HoldfastError {
  const details = { cause };
  switch (systemCode(cause)) {
    case "ENOENT":
      return new HoldfastError("not_found", "no_such_file", say`There is nothing of that name.`, details);
    case "ELOOP":
      return new HoldfastError("forbidden", "symlink", say`A symbolic link is not followed.`, details);
    case "ENOTDIR":
      return new HoldfastError("conflict", "not_a_directory", say`This is not a directory.`, details);
    case "EISDIR":
      return new HoldfastError("conflict", "is_directory", say`This is a directory.`, details);
    case "ENOTEMPTY":
      return new HoldfastError("conflict", "not_empty", say`The directory is not empty.`, details);
    case "EEXIST":
      return new HoldfastError(
        "conflict",
        "exists_outside",
        say`Something of that name exists. Nothing was changed.`,
        details,
      );
    case "ENXIO":
    case "ENODEV":
      return specialFile(details);
    case "ENAMETOOLONG":
      return new HoldfastError("invalid_argument", "bad_name", say`The name is too long.`, details);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new HoldfastError(
        "forbidden",
        "not_permitted",
        say`The system does not permit this. Check the owner and the permissions of it and of the directory that it is in, then try again.`,
        details,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new HoldfastError(
        "internal",
        "no_space",
        say`There is no room left on the disk. Free some, then try again.`,
        details,
      );
    default:
      return new HoldfastError(
        "internal",
        "host_failed",
        say`The system could not do this. Look whether the disk is in order, then try again.`,
        details,
      );
  }
}

/** What a call throws, with the path of the workspace that it is about. */
export function refusedAt(path: WorkspacePath, error: unknown): unknown {
  if (!HoldfastError.is(error)) return error;
  const { code, reason, message, cause } = error;
  return new HoldfastError(code, reason as Reason, say`${path}: ${message}`, { cause });
}

export function specialFile(details: { readonly cause?: unknown } = {}): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "special_file",
    say`This is a directory, pipe, device or socket; only regular files are opened.`,
    details,
  );
}
