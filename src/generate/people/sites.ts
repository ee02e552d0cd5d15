// Where the company works: both sides of the date line, half-hour zones, clocks that change at midnight (Cairo)
// and clocks that never change.

import { slots } from "../random.ts";
import type { CultureName } from "./names.ts";

export interface Site {
  city: string;
  /** ISO 3166 code. */
  country: string;
  timeZone: string;
  /** South of the equator: the long holidays are in December and January. */
  southern: boolean;
  /** Weekdays off, 0 Monday to 6 Sunday. */
  weekend: readonly [number, number];
  /** Whose names one meets there, each as often as its weight. */
  cultures: readonly CultureName[];
}

type Cultures = readonly (readonly [CultureName, number])[];

function site(
  city: string,
  country: string,
  timeZone: string,
  cultures: Cultures,
  differs?: Partial<Site>,
): Site {
  return { city, country, timeZone, southern: false, weekend: [5, 6], cultures: slots(cultures), ...differs };
}

const southern = { southern: true };
const fridayOff: Partial<Site> = { weekend: [4, 5] };
const american: Cultures = [
  ["english", 6],
  ["spanish", 3],
  ["hindi", 1],
  ["chinese", 1],
  ["korean", 1],
];

/** One hundred places, shared out by the size of the site. */
export const siteSlots: readonly Site[] = slots([
  [site("New York", "US", "America/New_York", american), 11],
  [site("San Francisco", "US", "America/Los_Angeles", american), 9],
  [
    site("Honolulu", "US", "Pacific/Honolulu", [
      ["pacific", 2],
      ["english", 2],
      ["japanese", 2],
    ]),
    2,
  ],
  [site("São Paulo", "BR", "America/Sao_Paulo", [["portuguese", 1]], southern), 6],
  [
    site("London", "GB", "Europe/London", [
      ["english", 7],
      ["hindi", 2],
      ["polish", 1],
    ]),
    10,
  ],
  [
    site("Berlin", "DE", "Europe/Berlin", [
      ["german", 7],
      ["polish", 2],
      ["arabic", 1],
    ]),
    10,
  ],
  [site("Madrid", "ES", "Europe/Madrid", [["spanish", 1]]), 8],
  [
    site("Paris", "FR", "Europe/Paris", [
      ["french", 7],
      ["arabic", 1],
      ["vietnamese", 1],
    ]),
    7,
  ],
  [site("Athens", "GR", "Europe/Athens", [["greek", 1]]), 3],
  [site("Sofia", "BG", "Europe/Sofia", [["bulgarian", 1]]), 4],
  [
    site(
      "Tel Aviv",
      "IL",
      "Asia/Jerusalem",
      [
        ["hebrew", 6],
        ["arabic", 1],
        ["amharic", 1],
      ],
      fridayOff,
    ),
    3,
  ],
  [site("Cairo", "EG", "Africa/Cairo", [["arabic", 1]], fridayOff), 3],
  [site("Addis Ababa", "ET", "Africa/Addis_Ababa", [["amharic", 1]]), 2],
  [site("Bengaluru", "IN", "Asia/Kolkata", [["hindi", 1]]), 7],
  [site("Bangkok", "TH", "Asia/Bangkok", [["thai", 1]]), 2],
  [site("Hanoi", "VN", "Asia/Ho_Chi_Minh", [["vietnamese", 1]]), 2],
  [site("Shanghai", "CN", "Asia/Shanghai", [["chinese", 1]]), 3],
  [site("Tokyo", "JP", "Asia/Tokyo", [["japanese", 1]]), 3],
  [site("Seoul", "KR", "Asia/Seoul", [["korean", 1]]), 2],
  [
    site(
      "Auckland",
      "NZ",
      "Pacific/Auckland",
      [
        ["english", 3],
        ["pacific", 2],
      ],
      southern,
    ),
    2,
  ],
  [site("Apia", "WS", "Pacific/Apia", [["pacific", 1]], southern), 1],
]);
