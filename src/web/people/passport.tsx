// The leave passport of a person, as a file (docs/passport.md).
import { useMutation } from "@tanstack/react-query";
import { IS_STATIC } from "../address.ts";
import { facts } from "../data/format.ts";
import { useServer } from "../data/queries.ts";
import { Failure } from "../parts/states.tsx";
import { currentLanguage, currentLocale, t } from "../texts/texts.ts";

/** A static demo has passports in English only. This says so in the viewer's language. */
const languageOfDemo = () => new Intl.DisplayNames(currentLocale(), { type: "language" }).of("en") ?? "";

export function Passport({ id }: { readonly id: string }) {
  const { transport } = useServer();
  const download = useMutation({
    networkMode: "always",
    mutationFn: async () => {
      const path = `/web/passport.json?workerId=${id}&language=${currentLocale()}`;
      const { html, name } = await transport.get<{ html: string; name: string }>(path, {});
      const { save } = await import("../parts/export-menu.tsx");
      save(name, "html", new Blob([html], { type: "text/html" }));
    },
  });
  return (
    <section className="passport">
      <p className="soft small">
        <button type="button" aria-disabled={download.isPending} onClick={() => download.mutate()}>
          {facts(t("passport"), IS_STATIC && currentLanguage() !== "en" && languageOfDemo())}
        </button>{" "}
        {t("passport.about")}
      </p>
      {download.isError && <Failure error={download.error} onRetry={download.mutate} />}
    </section>
  );
}
