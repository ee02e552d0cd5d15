// Custom properties may be set through `style`, which React does through the DOM: no style attribute is parsed.
import "react";

declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}
