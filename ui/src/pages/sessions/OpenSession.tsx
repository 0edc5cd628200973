/** Asking for a phone: any with some tags, or one that is named; for how long, and what for. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { openDeviceSession } from "../../api/deviceSessions";
import { devicesQuery } from "../../api/queries";
import { Field, FormDialog } from "../../components/FormDialog";
import { TagChoice } from "../../components/TagChoice";
import { countTags } from "../../components/tags";
import { useWords } from "../../i18n/text";

const LONGEST = [10, 30, 60, 120, 240, 480];

interface OpenSessionProps {
  /** The number of the phone that is meant, where one is. */
  device?: number;
  onClose: () => void;
}

export function OpenSession({ device, onClose }: OpenSessionProps) {
  const words = useWords();
  const { t } = words;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: devices = [] } = useQuery(devicesQuery);
  const known = useMemo(() => countTags(devices).map(([tag]) => tag), [devices]);
  const [isNamed, setIsNamed] = useState(device !== undefined);
  const [tags, setTags] = useState<string[]>([]);
  const matching = devices.filter((each) => each.online && tags.every((tag) => each.tags.includes(tag)));
  const idle = matching.filter((each) => each.activity === "idle").length;
  const open = useMutation({
    mutationFn: openDeviceSession,
    onSuccess: (session) => {
      void client.invalidateQueries({ queryKey: ["device-sessions"] });
      void navigate({ to: "/sessions/$sessionId", params: { sessionId: session.session_id } });
    },
  });
  return (
    <FormDialog
      title={t("sessions.open_title")}
      confirm={t("sessions.open")}
      isPending={open.isPending}
      error={open.error}
      onSubmit={({ phone, minutes, purpose }) =>
        open.mutate({
          ttl_s: Number(minutes) * 60,
          ...(isNamed ? { device: phone ?? "" } : { tags }),
          ...(purpose ? { purpose } : {}),
        })
      }
      onClose={onClose}
    >
      <fieldset className="flex gap-1 justify-self-start rounded-lg border border-line bg-raised p-1">
        <legend className="sr-only">{t("target.label")}</legend>
        {[false, true].map((named) => (
          <label
            key={String(named)}
            className="cursor-pointer rounded-md px-3 py-1.5 font-medium text-soft has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input type="radio" className="sr-only" checked={isNamed === named} onChange={() => setIsNamed(named)} />
            {t(named ? "sessions.one" : "sessions.any")}
          </label>
        ))}
      </fieldset>
      {isNamed ? (
        <Field label={t("sessions.phone")}>
          <input
            name="phone"
            className="field"
            required
            list="session-phones"
            defaultValue={device ?? ""}
            autoComplete="off"
            spellCheck={false}
          />
          <datalist id="session-phones">
            {devices.map((each) => (
              <option key={each.device_id} value={each.index_no}>
                {[each.label || each.model, each.serial].filter(Boolean).join(" · ")}
              </option>
            ))}
          </datalist>
        </Field>
      ) : (
        <div className="stack gap-1.5">
          <span className="font-medium">{t("target.with_tags")}</span>
          <TagChoice label={t("target.with_tags")} known={known} chosen={tags} onChange={setTags} />
          <span role="status" className={`text-xs ${matching.length === 0 ? "text-warn" : "text-soft"}`}>
            {t("sessions.matching", { count: matching.length, idle })}
          </span>
        </div>
      )}
      <Field label={t("sessions.minutes")}>
        <select name="minutes" className="field" defaultValue={30}>
          {LONGEST.map((minutes) => (
            <option key={minutes} value={minutes}>
              {minutes < 60
                ? t("sessions.n_minutes", { count: minutes })
                : t("sessions.n_hours", { count: minutes / 60 })}
            </option>
          ))}
        </select>
        <span className="text-xs font-normal text-soft">{t("sessions.minutes_hint")}</span>
      </Field>
      <Field label={t("sessions.purpose")}>
        <input name="purpose" className="field" maxLength={200} placeholder={t("sessions.purpose_hint")} />
      </Field>
    </FormDialog>
  );
}
