// Which build this is: the same in `--version`, in the doctor's report and in the metrics.
import { expect, test } from "bun:test";
import { version } from "../../package.json";
import { freePort } from "../support/postgres.ts";
import { CHECKOUT } from "../support/rollcall-path.ts";
import { inFolder, rollcall, rollcallHere, whileServing } from "./command.ts";

test("version, commit and build", () =>
  inFolder(async (folder) => {
    const printed = await rollcall("/", ["--version"], {}, CHECKOUT);
    expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
    const parts =
      /^rollcall (\S+) \(commit ([0-9a-f]{12}(?:\+changes)?|unknown) of \S+, (\S+), Bun (\S+)\)\n$/;
    const [, own, commit, form, bun] = parts.exec(printed.stdout) ?? [];
    expect({ own, form, bun }).toEqual({ own: version, form: "checkout", bun: Bun.version });
    expect((await rollcall("/", ["-V"], {}, CHECKOUT)).stdout).toBe(printed.stdout);

    await rollcallHere(folder, ["companies", "create", "acme"]);
    expect((await rollcallHere(folder, ["doctor"])).stdout.split("\n")[0]).toBe(printed.stdout.trim());
    const report = JSON.parse((await rollcallHere(folder, ["doctor", "--json"])).stdout);
    expect(report.rollcall).toMatchObject({ version, form, bun });

    const port = String(await freePort());
    const args = [
      "serve",
      "--port",
      "0",
      "--log",
      "none",
      "--metrics-port",
      port,
      "--metrics-host",
      "127.0.0.2",
    ];
    await whileServing(folder, args, async () => {
      const text = await (await fetch(`http://127.0.0.2:${port}/metrics`)).text();
      expect(text).toMatch(new RegExp(`^rollcall_build_info\\{.*version="${version}".*\\} 1$`, "m"));
      expect(text).toContain(`commit="${commit === "unknown" ? commit : commit?.slice(0, 12)}`);
      await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
    });
  }));
