/** Trades an operator's token for a cookie that no script can read. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiError, call } from "../api/client";
import { sessionQuery } from "../api/queries";
import mark from "../assets/mark.svg";
import { Button } from "../components/Button";
import { useWords } from "../i18n/text";

export function SignIn() {
  const { t, language, setLanguage } = useWords();
  const client = useQueryClient();
  const [token, setToken] = useState("");
  const signIn = useMutation({
    mutationFn: () => call("post", "/api/session", { body: { token: token.trim() } }),
    onSuccess: (session) => client.setQueryData(sessionQuery.queryKey, session),
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    signIn.mutate();
  }
  const isWrong = signIn.error instanceof ApiError && signIn.error.status === 401;
  return (
    <main className="grid min-h-dvh place-items-center p-6">
      <form onSubmit={submit} className="card w-full max-w-sm p-8">
        <img src={mark} alt="" width={40} height={40} className="mb-5" />
        <h1>{t("sign_in.title")}</h1>
        <p className="mt-1 mb-6 text-soft">{t("sign_in.hint")}</p>
        <label htmlFor="token" className="mb-1.5 block font-medium">
          {t("sign_in.token")}
        </label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          required
          className="field"
          value={token}
          aria-invalid={isWrong}
          aria-describedby="token-error"
          onChange={(event) => setToken(event.target.value)}
        />
        <p id="token-error" role="alert" className="mt-2 min-h-5 text-danger">
          {signIn.error && (isWrong ? t("sign_in.wrong") : signIn.error.message)}
        </p>
        <Button look="primary" type="submit" className="mt-2 w-full" disabled={signIn.isPending || token.trim() === ""}>
          {t("sign_in.submit")}
        </Button>
        <button
          type="button"
          lang={language === "ko" ? "en" : "ko"}
          onClick={() => setLanguage(language === "ko" ? "en" : "ko")}
          className="mx-auto mt-5 block text-xs text-soft hover:underline"
        >
          {language === "ko" ? "English" : "한국어"}
        </button>
      </form>
    </main>
  );
}
