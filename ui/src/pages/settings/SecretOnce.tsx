import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/Button";
import { useWords } from "../../i18n/text";

/** A secret, shown this once: nobody can ask for it again. */
export function SecretOnce({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useWords();
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(secret);
    setCopied(true);
  }
  return (
    <section role="status" className="card stack gap-3 border-accent p-5" aria-label={t("webhook.secret")}>
      <h2>{t("webhook.secret")}</h2>
      <p className="text-soft">{t("webhook.secret_once")}</p>
      <code className="rounded-lg bg-raised p-3 break-all" data-testid="secret">
        {secret}
      </code>
      <div className="flex gap-2">
        <Button onClick={() => void copy()}>
          {isCopied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
          {t(isCopied ? "webhook.copied" : "webhook.copy")}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {t("drawer.close")}
        </Button>
      </div>
    </section>
  );
}
