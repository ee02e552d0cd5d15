// rollcall healthcheck
import { isIP } from "node:net";
import type { Command, Option } from "commander";
import { CliFailure, unreachable } from "../../failure.ts";
import { option, parseUrl, parseWhole, RollcallCommand } from "../../options.ts";

/** Container engines rarely wait longer for a check. */
const TIMEOUT_MS = 10_000;

interface Options {
  readonly host: string;
  readonly port: string;
  readonly tlsCert?: string;
  readonly url?: string;
}

export function healthcheckCommand(): Command {
  return new RollcallCommand("healthcheck")
    .description("Check that a server is ready (/readyz), for containers and scripts.")
    .addOption(described(option("host"), "the address that the server listens on"))
    .addOption(described(option("port"), "the port that it listens on"))
    .addOption(option("tlsCert").hideHelp())
    .option("--url <url>", "the server's address, instead of host and port")
    .addHelpText(
      "after",
      `
Exit code: 0 if it is ready, 1 if it is not or does not respond within ${TIMEOUT_MS / 1000} seconds, 2 for wrong usage.
It reads the environment variables of rollcall serve, so on a server's machine it needs no option. A server on this
machine may have a certificate for another name.`,
    )
    .examples("rollcall healthcheck", "rollcall healthcheck --url https://rollcall.example.com")
    .action(async (options: Options) => {
      const { address, isOwn } = addressOf(options);
      const readyz = new URL(`${address}/readyz`);
      // Do not reach a server on this machine through the environment's proxy.
      if (isOwn) process.env.NO_PROXY = "*";
      let status: number;
      try {
        const tls = { rejectUnauthorized: !isOwn };
        const response = await fetch(readyz, {
          signal: AbortSignal.timeout(TIMEOUT_MS),
          redirect: "manual",
          tls,
        });
        status = response.status;
      } catch (error) {
        throw unreachable(address, error, TIMEOUT_MS);
      }
      if (status === 404)
        throw new CliFailure(`${address} is not Rollcall's address: nothing is at ${readyz}`);
      if (status !== 200)
        throw new CliFailure(
          `${address} is not ready (status ${status}): see the server's log, or run rollcall doctor`,
        );
      console.log(`${address} can answer.`);
    });
}

function described(asked: Option, description: string): Option {
  asked.description = description;
  return asked;
}

/** The address to ask, and whether that server runs on this machine. Raises UsageError for a wrong address. */
function addressOf({ host, port, tlsCert, url }: Options): { address: string; isOwn: boolean } {
  if (url !== undefined) return { address: parseUrl(url), isOwn: false };
  const number = parseWhole("--port", port, 1, 65_535);
  const anywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const name = anywhere[host] ?? host;
  const scheme = tlsCert === undefined ? "http" : "https";
  return { address: `${scheme}://${isIP(name) === 6 ? `[${name}]` : name}:${number}`, isOwn: true };
}
