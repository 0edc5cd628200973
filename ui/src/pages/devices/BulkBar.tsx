/** What can be done to the devices that are chosen. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleSlash, Play, ShieldCheck, Tag, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import type { Device, DeviceChange } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Button, buttonLook } from "../../components/Button";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { formatRanges, toRanges } from "../runs/target";

type Act = "quarantine" | "release" | "tag";

interface BulkBarProps {
  devices: readonly Device[];
  onDone: () => void;
}

export function BulkBar({ devices, onDone }: BulkBarProps) {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const [asked, setAsked] = useState<Act | null>(null);
  const change = useMutation({
    mutationFn: async ({ act, text }: { act: Act; text: string }) => {
      for (const device of devices) {
        await call("patch", "/api/devices/{device_id}", {
          path: { device_id: device.device_id },
          body: changeOf(act, text, device),
        });
      }
    },
    onSuccess: () => setAsked(null),
    onSettled: () => client.invalidateQueries({ queryKey: ["devices"] }),
  });
  const count = devices.length;
  const quarantined = devices.filter((device) => device.health === "quarantined").length;
  return (
    <section
      aria-label={t("bulk.label")}
      className="sticky bottom-4 z-20 mx-auto flex max-w-full flex-wrap items-center gap-2 rounded-2xl border border-line-strong bg-surface px-4 py-3 shadow-high"
    >
      <span className="mr-2 font-medium tabular-nums" role="status">
        {t("bulk.selected", { count })}
      </span>
      <Link
        to="/runs/new"
        search={{ devices: formatRanges(toRanges(devices.map((device) => device.index_no))) }}
        className={buttonLook("primary")}
      >
        <Play size={14} aria-hidden="true" />
        {t("bulk.run")}
      </Link>
      <Button disabled={!mayOperate} onClick={() => setAsked("tag")}>
        <Tag size={14} aria-hidden="true" />
        {t("bulk.tag")}
      </Button>
      <Button look="danger" disabled={!mayOperate} onClick={() => setAsked("quarantine")}>
        <CircleSlash size={14} aria-hidden="true" />
        {t("bulk.quarantine")}
      </Button>
      {quarantined > 0 && (
        <Button disabled={!mayOperate} onClick={() => setAsked("release")}>
          <ShieldCheck size={14} aria-hidden="true" />
          {t("bulk.release", { count: quarantined })}
        </Button>
      )}
      <Button look="quiet" onClick={onDone}>
        <X size={14} aria-hidden="true" />
        {t("bulk.clear")}
      </Button>
      {asked && (
        <Ask
          title={t(`bulk.${asked}_title`, { count: asked === "release" ? quarantined : count })}
          {...(asked === "release" ? {} : { field: t(asked === "tag" ? "bulk.tag_label" : "bulk.reason") })}
          isRequired
          confirm={t(`bulk.${asked}_confirm`)}
          isDangerous={asked === "quarantine"}
          isPending={change.isPending}
          error={change.error}
          onConfirm={(text) => change.mutate({ act: asked, text })}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}

/** What to ask for one device. */
export function changeOf(act: Act, text: string, device: Device): DeviceChange {
  if (act === "quarantine") return { health: "quarantined", health_reason: text };
  if (act === "release") return { health: "ok" };
  const added = text.split(/[\s,]+/).filter((tag) => tag !== "");
  return { tags: [...new Set([...device.tags, ...added])] };
}
