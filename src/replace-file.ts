// Writes a whole file, or leaves the old one.
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";

/** Replaces a file. If that fails, the old file stays. Only the owner may read the new one. Through a link, its target is replaced. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) replaceAt(path, content);
  else if (stat.isFile()) replaceAt(realpathSync(path), content);
  else writeFileSync(path, content); // such as /dev/null, which renaming would replace by a file
}

function replaceAt(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.partial`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
