/** What can be done to the devices that are chosen. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleSlash, Play, ShieldCheck, Tag, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client";
import type { Device } from "../../api/schema";
import { Ask } from "../../components/Ask";
import { Button, buttonLook } from "../../components/Button";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { formatRanges, toRanges } from "../runs/target";
import { applyToEach, type BulkChange, changeOf, type Failure } from "./bulk";
import { TagDialog } from "./TagDialog";

interface BulkBarProps {
  devices: readonly Device[];
  /** Tags that any device has. */
  known: readonly string[];
  onDone: () => void;
}

export function BulkBar({ devices, known, onDone }: BulkBarProps) {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const [asked, setAsked] = useState<BulkChange["act"] | null>(null);
  const change = useMutation({
    mutationFn: ({ change, among }: { change: BulkChange; among: readonly Device[] }) => {
      const meant = among.filter((device) => changeOf(change, device) !== null);
      return applyToEach(meant, (device) =>
        call("patch", "/api/devices/{device_id}", {
          path: { device_id: device.device_id },
          body: changeOf(change, device) ?? {},
        }),
      );
    },
    onSuccess: (failures) => failures.length === 0 && close(),
    onSettled: () => client.invalidateQueries({ queryKey: ["devices"] }),
  });
  const count = devices.length;
  const quarantined = devices.filter((device) => device.health === "quarantined").length;
  const failures = change.data ?? [];
  function close(): void {
    setAsked(null);
    change.reset();
  }
  function apply(wanted: BulkChange): void {
    // Whoever refused is asked again; whoever had it already is left alone.
    const again = new Set(failures.map(({ device }) => device.device_id));
    const among = again.size > 0 ? devices.filter((device) => again.has(device.device_id)) : devices;
    change.mutate({ change: wanted, among });
  }
  const dialog = { isPending: change.isPending, error: change.error, onClose: close };
  const outcome = failures.length > 0 && <Refused failures={failures} asked={change.variables?.among.length ?? 0} />;
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
      {asked === "tag" && (
        <TagDialog {...dialog} devices={devices} known={known} onSave={apply}>
          {outcome}
        </TagDialog>
      )}
      {asked === "quarantine" && (
        <Ask
          {...dialog}
          title={t("bulk.quarantine_title", { count })}
          field={t("bulk.reason")}
          isRequired
          confirm={t("bulk.quarantine_confirm")}
          isDangerous
          onConfirm={(reason) => apply({ act: "quarantine", reason })}
        >
          {outcome}
        </Ask>
      )}
      {asked === "release" && (
        <Ask
          {...dialog}
          title={t("bulk.release_title", { count: quarantined })}
          confirm={t("bulk.release_confirm")}
          onConfirm={() => apply({ act: "release" })}
        >
          {outcome}
        </Ask>
      )}
    </section>
  );
}

const MOST_NAMED = 5;

function Refused({ failures, asked }: { failures: readonly Failure[]; asked: number }) {
  const { t } = useWords();
  return (
    <div role="alert" className="rounded-lg bg-danger-soft px-3 py-2 text-danger">
      <p className="font-medium">
        {t("bulk.failed", { count: failures.length, done: Math.max(0, asked - failures.length) })}
      </p>
      <ul className="mt-1 list-disc pl-5 text-xs">
        {failures.slice(0, MOST_NAMED).map(({ device, message }) => (
          <li key={device.device_id} className="break-words">
            {t("device.number", { index: String(device.index_no) })}: {message}
          </li>
        ))}
        {failures.length > MOST_NAMED && <li>{t("bulk.more_failed", { count: failures.length - MOST_NAMED })}</li>}
      </ul>
      <p className="mt-1 text-xs">{t("bulk.again")}</p>
    </div>
  );
}
