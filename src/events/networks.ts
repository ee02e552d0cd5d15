// Public internet addresses: all except the networks that IANA reserves for special purposes.
import { BlockList, isIP } from "node:net";

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast (RFC 5771). */
const SPECIAL_V4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";

/** All that is assigned to the internet (https://www.iana.org/assignments/ipv6-address-space). */
const GLOBAL_V6 = "2000::/3";

/** The special networks within it: https://www.iana.org/assignments/iana-ipv6-special-registry. */
const SPECIAL_V6 = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20";

function networks(family: "ipv4" | "ipv6", text: string): BlockList {
  const list = new BlockList();
  for (const network of text.split(" ")) {
    const [address, bits] = network.split("/") as [string, string]; // each network is written so
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const specialV4 = networks("ipv4", SPECIAL_V4);
const globalV6 = networks("ipv6", GLOBAL_V6);
const specialV6 = networks("ipv6", SPECIAL_V6);

/** Whether a text is a public internet address. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !specialV4.check(address, "ipv4");
  const isV6 = isIP(address) === 6 && !address.includes("%"); // an address with a zone is local
  return isV6 && globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6");
}
