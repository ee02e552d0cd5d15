// An import onto a disk of two megabytes, which fills up: exit 1 with what to do, the store as before, and the import
// works once there is room. `bun bench/full-disk.ts`, on Linux, with the right to mount (root, or user namespaces).
import { join } from "node:path";
import { factsDigest, rollcall, withStoreFolder } from "../test/cli/faults/store-folder.ts";
import { ROLLCALL } from "../test/support/rollcall-path.ts";

const NAMESPACE = ["unshare", process.getuid?.() === 0 ? "-m" : "-rm"];

const SCRIPT = `
  mkdir "$1/disk" && mount -t tmpfs -o size=2m none "$1/disk" && cp "$1"/rollcall.db* "$1/disk" || exit 9
  "$2" import "$1/big" --company acme --db "$1/disk/rollcall.db" 2>"$1/said"; echo $? >"$1/code"
  mkdir "$1/after" && cp "$1"/disk/rollcall.db* "$1/after"`;

await withStoreFolder(async (storeFolder) => {
  const before = await factsDigest(storeFolder);
  const script = Bun.spawnSync([...NAMESPACE, "sh", "-c", SCRIPT, "sh", storeFolder.folder, ROLLCALL], {
    stderr: "inherit",
  });
  if (script.exitCode !== 0)
    throw new Error("no disk could be mounted: run this where unshare and mount may");
  const [exitCode, said] = await Promise.all(
    ["code", "said"].map(async (name) => (await Bun.file(join(storeFolder.folder, name)).text()).trim()),
  );
  const after = { ...storeFolder, db: join(storeFolder.folder, "after", "rollcall.db") };
  const isAsBefore = (await factsDigest(after)) === before;
  const again = await rollcall(["import", storeFolder.big, "--company", "acme", "--db", after.db]);
  const result = { exitCode: Number(exitCode), said, isAsBefore, againExitCode: again.exitCode };
  console.log(JSON.stringify(result));
  const isRight = exitCode === "1" && /is full\. Nothing was changed/.test(said ?? "") && isAsBefore;
  process.exitCode = isRight && again.exitCode === 0 ? 0 : 1;
});
