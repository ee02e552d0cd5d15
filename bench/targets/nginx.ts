// The upper limit: nginx with one worker, serving the same bytes as static files.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataPath } from "../data/shape.ts";
import { type Running, start } from "./process.ts";

const PORT = 4071;

/** Serves `bodies` as /0.json, /1.json and so on, uncompressed, because the bench asks for no compression. */
export function startNginx(bodies: readonly Uint8Array[]): Promise<Running> {
  const root = dataPath("nginx");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "files"), { recursive: true });
  bodies.forEach((body, index) => {
    writeFileSync(join(root, "files", `${index}.json`), body);
  });
  const configuration = join(root, "nginx.conf");
  writeFileSync(configuration, CONFIGURATION);
  return start({
    command: ["nginx", "-p", root, "-c", configuration, "-e", join(root, "error.log")],
    address: `http://127.0.0.1:${PORT}`,
    readyPath: "/0.json",
  });
}

const CONFIGURATION = `
user root;
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=1000;
  open_file_cache_valid 1h;
  types { application/json json; }
  client_body_temp_path tmp-body;
  proxy_temp_path tmp-proxy;
  fastcgi_temp_path tmp-fastcgi;
  uwsgi_temp_path tmp-uwsgi;
  scgi_temp_path tmp-scgi;
  server { listen 127.0.0.1:${PORT}; root files; }
}
`;
