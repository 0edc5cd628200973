/** One phone: what it is, how it is, what it last showed. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hand, Play } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/client";
import { picturesQuery } from "../../api/queries";
import type { Device, DeviceChange } from "../../api/schema";
import { Button, buttonLook } from "../../components/Button";
import { Drawer } from "../../components/Drawer";
import { Pictures } from "../../components/Lightbox";
import { Refusal } from "../../components/Notices";
import { stateName } from "../../components/names";
import { Screen } from "../../components/Screen";
import { StateMark } from "../../components/StateMark";
import { TagInput } from "../../components/TagInput";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";
import { holderName } from "../sessions/holder";
import { OpenSession } from "../sessions/OpenSession";
import { HealthOverTime } from "./HealthOverTime";
import { History } from "./History";

interface DeviceDetailsProps {
  device: Device;
  /** Tags that any device has. */
  knownTags: readonly string[];
  onClose: () => void;
}

export function DeviceDetails({ device, knownTags, onClose }: DeviceDetailsProps) {
  const words = useWords();
  const { t } = words;
  const mayOperate = useMayOperate();
  const [isOpening, setIsOpening] = useState(false);
  const { data: pictures } = useQuery(picturesQuery(device.device_id));
  const name = t("device.number", { index: String(device.index_no) });
  const facts: [string, ReactNode][] = [
    [
      t("facts.connection"),
      t(
        device.online
          ? "facts.online"
          : device.connection === "connected"
            ? "facts.node_away"
            : `connection.${device.connection}`,
      ),
    ],
    [t("facts.health"), t(`health.${device.health}`)],
    [t("facts.node"), device.node_id],
    [t("facts.model"), device.model ?? "–"],
    [t("facts.android"), device.os_version ?? "–"],
    [t("facts.battery"), device.battery === null ? "–" : <Battery key="battery" percent={device.battery} />],
    [t("facts.temperature"), device.temperature === null ? "–" : `${words.number(device.temperature)} °C`],
    [t("facts.address"), device.runtime_handle ?? "–"],
  ];
  return (
    <Drawer
      label={name}
      onClose={onClose}
      title={
        <>
          <div className="flex items-center gap-2">
            <h2 className="min-w-0 truncate text-base">
              {name}
              {device.label && <span className="ml-2 font-normal text-soft">{device.label}</span>}
            </h2>
            <span className="flex shrink-0 items-center gap-1.5 text-xs font-medium">
              <StateMark state={device.activity} size={14} />
              {stateName(words, device.activity)}
            </span>
          </div>
          <p className="mt-0.5 truncate font-mono text-xs text-soft">{device.serial}</p>
        </>
      }
    >
      <div className="stack gap-6">
        {device.health !== "ok" && device.health_reason && (
          <p className="rounded-xl bg-warn-soft p-4 text-warn">{device.health_reason}</p>
        )}
        {device.session_id && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-xl bg-accent-soft p-4" data-testid="held">
            <Hand size={16} aria-hidden="true" />
            <span className="min-w-0 flex-1 font-medium">
              {t("device.held_by", { holder: holderName(words, device.held_by ?? "") })}
            </span>
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: device.session_id }}
              className="text-accent hover:underline"
            >
              {t("device.to_session")}
            </Link>
          </p>
        )}
        {device.last_error_message && (
          <p className="rounded-xl bg-danger-soft p-4 font-mono text-xs break-words text-danger">
            {device.last_error_message}
          </p>
        )}
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
          {facts.map(([label, value]) => (
            <div key={label} className="min-w-0">
              <dt className="text-xs text-faint">{label}</dt>
              <dd className="truncate font-medium">{value}</dd>
            </div>
          ))}
        </dl>
        <Tags device={device} known={knownTags} />
        <div className="grid gap-2 sm:grid-cols-2">
          <Link to="/runs/new" search={{ devices: String(device.index_no) }} className={buttonLook("primary")}>
            <Play size={14} aria-hidden="true" />
            {t("device.run")}
          </Link>
          <Button disabled={!mayOperate || device.session_id !== null} onClick={() => setIsOpening(true)}>
            <Hand size={14} aria-hidden="true" />
            {t("device.hold")}
          </Button>
        </div>
        {isOpening && <OpenSession device={device.index_no} onClose={() => setIsOpening(false)} />}
        <Screen deviceId={device.device_id} isOnline={device.online} last={pictures?.artifacts[0]} />
        {pictures && pictures.artifacts.length > 0 && (
          <section>
            <h2 className="mb-3">{t("device.pictures")}</h2>
            <Pictures artifacts={pictures.artifacts} />
          </section>
        )}
        <HealthOverTime device={device} />
        <History deviceId={device.device_id} index={device.index_no} />
        <Edit device={device} />
      </div>
    </Drawer>
  );
}

function Battery({ percent }: { percent: number }) {
  return (
    <span className="flex items-center gap-2">
      <span className="h-1.5 w-16 overflow-hidden rounded-full bg-line" aria-hidden="true">
        <span
          className={`block h-full rounded-full ${percent < 20 ? "bg-state-error" : "bg-state-done"}`}
          style={{ width: `${percent}%` }}
        />
      </span>
      {percent} %
    </span>
  );
}

/** Changed one by one, and saved at once: there is nothing else to agree to. */
function Tags({ device, known }: { device: Device; known: readonly string[] }) {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const change = useMutation({
    mutationFn: (tags: string[]) =>
      call("patch", "/api/devices/{device_id}", { path: { device_id: device.device_id }, body: { tags } }),
    onSettled: () => client.invalidateQueries({ queryKey: ["devices"] }),
  });
  return (
    <div className="stack gap-2">
      <TagInput
        label={t("edit.tags")}
        tags={change.isPending ? change.variables : device.tags}
        known={known}
        disabled={!mayOperate}
        onChange={(tags) => change.mutate(tags)}
      />
      <Refusal error={change.error} />
    </div>
  );
}

function Edit({ device }: { device: Device }) {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const [label, setLabel] = useState(device.label ?? "");
  const [reason, setReason] = useState("");
  const change = useMutation({
    mutationFn: (body: DeviceChange) =>
      call("patch", "/api/devices/{device_id}", { path: { device_id: device.device_id }, body }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["devices"] }),
        client.invalidateQueries({ queryKey: ["device-health"] }),
      ]),
  });
  function save(event: FormEvent): void {
    event.preventDefault();
    change.mutate({ label: label.trim() });
  }
  const isQuarantined = device.health === "quarantined";
  return (
    <section className="grid gap-4 border-t border-line pt-5">
      <form onSubmit={save} className="stack gap-3">
        <label className="stack gap-1.5">
          <span className="font-medium">{t("edit.label")}</span>
          <input className="field" value={label} maxLength={200} onChange={(event) => setLabel(event.target.value)} />
        </label>
        <Button type="submit" disabled={!mayOperate || change.isPending}>
          {t("edit.save")}
        </Button>
      </form>
      <div className="stack gap-3">
        {isQuarantined ? (
          <Button disabled={!mayOperate || change.isPending} onClick={() => change.mutate({ health: "ok" })}>
            {t("edit.release")}
          </Button>
        ) : (
          <>
            <label className="stack gap-1.5">
              <span className="font-medium">{t("edit.reason")}</span>
              <input className="field" value={reason} onChange={(event) => setReason(event.target.value)} />
            </label>
            <Button
              look="danger"
              disabled={!mayOperate || change.isPending || reason.trim() === ""}
              onClick={() => change.mutate({ health: "quarantined", health_reason: reason.trim() })}
            >
              {t("edit.quarantine")}
            </Button>
          </>
        )}
        <Refusal error={change.error} />
      </div>
    </section>
  );
}
