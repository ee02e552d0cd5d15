// Whose failures are counted: X-Forwarded-For is believed as far as trusted proxies wrote it, and no further.
import { expect, test } from "bun:test";
import { clientAddress, trustedPeer } from "../../../src/http/client-address.ts";

const asked = (forwarded: string | null) =>
  new Request("http://x/", { headers: forwarded === null ? {} : { "x-forwarded-for": forwarded } });

test("without trusted proxies the peer is the caller, whatever the headers say", () => {
  expect(clientAddress([])(asked("203.0.113.9"), "198.51.100.1")).toBe("198.51.100.1");
});

test.each([
  ["10.0.0.2", "203.0.113.9", "203.0.113.9", "the proxy's word"],
  ["10.0.0.2", "1.2.3.4, 203.0.113.9", "203.0.113.9", "what the caller put before it is not believed"],
  ["10.0.0.2", "1.2.3.4, 203.0.113.9, 10.0.0.7", "203.0.113.9", "through two proxies"],
  ["198.51.100.1", "203.0.113.9", "198.51.100.1", "a stranger's word"],
  ["10.0.0.2", null, "10.0.0.2", "the proxy itself"],
  [
    "10.0.0.2",
    "192.0.2.7:50123",
    "192.0.2.7",
    "with the caller's port, as Azure Application Gateway adds it",
  ],
  ["10.0.0.2", "1.2.3.4:5, 10.0.0.7:77", "1.2.3.4", "through two proxies, with ports"],
  ["10.0.0.2", "[2001:db8::4]:50123", "2001:db8::4", "IPv6 with a port"],
  ["10.0.0.2", "[2001:db8::4]", "2001:db8::4", "IPv6 in brackets"],
])("peer %s, header %s: %s (%s)", (peer, forwarded, expected) => {
  expect(clientAddress(["10.0.0.0/8"])(asked(forwarded), peer)).toBe(expected);
});

test("a text that is neither an address nor a range is refused", () => {
  expect(() => clientAddress(["everyone"])).toThrow(TypeError);
  expect(() => trustedPeer(["everyone"])).toThrow(TypeError);
});

test.each([
  [["10.0.0.0/8"], "10.0.0.2", true],
  [["10.0.0.0/8"], "11.0.0.2", false],
  [["10.0.0.2"], "10.0.0.3", false],
  [["loopback"], "127.0.0.1", true],
  [["loopback"], "::1", true],
  [["loopback"], "198.51.100.1", false],
  [["10.0.0.0/8"], "", false],
  [[], "127.0.0.1", false],
])("only a trusted address may say who is signed in: of %j, %s: %p", (trusted, peer, isTrusted) => {
  expect(trustedPeer(trusted)(peer)).toBe(isTrusted);
});
