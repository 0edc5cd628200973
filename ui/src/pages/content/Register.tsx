/** Paste an address, see what it is, register it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, Plus, Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { call } from "../../api/client";
import { previewQuery } from "../../api/contents";
import type { ContentPreview } from "../../api/schema";
import { Button, buttonLook } from "../../components/Button";
import { Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { Thumbnail } from "./Thumbnail";

export function Register({ initial = "" }: { initial?: string }) {
  const { t } = useWords();
  const [text, setText] = useState(initial);
  const [asked, setAsked] = useState(initial);
  const preview = useQuery(previewQuery(asked));
  function submit(event: FormEvent): void {
    event.preventDefault();
    setAsked(text.trim());
    if (text.trim() === asked) void preview.refetch();
  }
  return (
    <section className="card stack gap-4 p-5" aria-label={t("content.register_title")}>
      <h2>{t("content.register_title")}</h2>
      <form onSubmit={submit} className="flex flex-wrap gap-2">
        <input
          className="field min-w-0 flex-1 basis-64"
          aria-label={t("content.address")}
          placeholder="https://www.youtube.com/watch?v=…"
          value={text}
          required
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text").trim();
            if (text === "" && pasted !== "") setAsked(pasted);
          }}
        />
        <Button type="submit" disabled={preview.isFetching}>
          <Search size={15} aria-hidden="true" />
          {t(preview.isFetching ? "content.looking" : "content.preview")}
        </Button>
      </form>
      <div aria-live="polite" className="stack gap-4 empty:hidden">
        <Refusal error={asked ? preview.error : null} />
        {asked && preview.data && <Preview key={preview.data.youtube_video_id} preview={preview.data} />}
      </div>
    </section>
  );
}

function Preview({ preview }: { preview: ContentPreview }) {
  const words = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const register = useMutation({
    mutationFn: () => call("post", "/api/contents", { body: { url: preview.youtube_video_id } }),
    onSuccess: () => {
      for (const key of ["contents", "content", "content-hours"]) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  const isThere = preview.is_registered || register.isSuccess;
  const facts = [
    preview.channel_title,
    preview.duration_s === null ? null : words.duration(preview.duration_s),
    preview.published_at ? words.date(preview.published_at) : null,
  ];
  return (
    <div
      className="flex flex-wrap items-center gap-4 rounded-xl border border-line bg-raised p-4"
      data-testid="preview"
    >
      <Thumbnail src={preview.thumbnail} className="w-40" />
      <div className="stack min-w-0 flex-1 basis-48 gap-1">
        <p className="font-semibold break-words">{preview.title ?? preview.youtube_video_id}</p>
        <p className="text-soft">{facts.filter(Boolean).join(" · ")}</p>
        <p className="font-mono text-xs text-faint">{preview.youtube_video_id}</p>
        <Refusal error={register.error} />
      </div>
      {isThere ? (
        <div className="flex items-center gap-3">
          <span className="flex items-center gap-1.5 text-soft" role="status">
            <CircleCheck size={16} className="text-state-done" aria-hidden="true" />
            {words.t("content.registered")}
          </span>
          <Link to="/content/$videoId" params={{ videoId: preview.youtube_video_id }} className={buttonLook("primary")}>
            {words.t("content.open")}
          </Link>
        </div>
      ) : (
        <Button look="primary" disabled={!mayOperate || register.isPending} onClick={() => register.mutate()}>
          <Plus size={15} aria-hidden="true" />
          {words.t("content.register")}
        </Button>
      )}
    </div>
  );
}
