import { Search } from "lucide-react";
import { useMemo } from "react";
import type { Device, Health } from "../../api/schema";
import { useWords } from "../../i18n/text";

export interface DeviceFilter {
  find?: string;
  node?: string;
  tag?: string;
  health?: Health;
  online?: boolean;
  contested?: boolean;
}

export function matches(device: Device, filter: DeviceFilter): boolean {
  if (filter.node && device.node_id !== filter.node) return false;
  if (filter.tag && !device.tags.includes(filter.tag)) return false;
  if (filter.health && device.health !== filter.health) return false;
  if (filter.online !== undefined && device.online !== filter.online) return false;
  if (filter.contested && device.contested_node_id === null) return false;
  if (!filter.find) return true;
  const text = `#${device.index_no} ${device.serial} ${device.label ?? ""} ${device.model ?? ""} ${device.tags.join(" ")}`;
  return text.toLowerCase().includes(filter.find.toLowerCase());
}

interface FiltersProps {
  devices: readonly Device[];
  filter: DeviceFilter;
  onChange: (filter: DeviceFilter) => void;
}

export function Filters({ devices, filter, onChange }: FiltersProps) {
  const { t } = useWords();
  const nodes = useMemo(() => [...new Set(devices.map((device) => device.node_id))].sort(), [devices]);
  const tags = useMemo(() => [...new Set(devices.flatMap((device) => device.tags))].sort(), [devices]);
  const set = <K extends keyof DeviceFilter>(name: K, value: DeviceFilter[K] | undefined) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === undefined || value === "" ? rest : { ...rest, [name]: value });
  };
  const look = "field w-auto min-w-32 text-soft";
  return (
    <search className="flex flex-wrap gap-2">
      <div className="relative">
        <Search size={15} aria-hidden="true" className="absolute top-2.5 left-2.5 text-faint" />
        <input
          type="search"
          aria-label={t("filter.find")}
          placeholder={t("filter.find")}
          className="field w-64 pl-8"
          value={filter.find ?? ""}
          onChange={(event) => set("find", event.target.value)}
        />
      </div>
      <select
        aria-label={t("filter.node")}
        className={look}
        value={filter.node ?? ""}
        onChange={(event) => set("node", event.target.value)}
      >
        <option value="">{t("filter.any_node")}</option>
        {nodes.map((node) => (
          <option key={node}>{node}</option>
        ))}
      </select>
      {tags.length > 0 && (
        <select
          aria-label={t("filter.tag")}
          className={look}
          value={filter.tag ?? ""}
          onChange={(event) => set("tag", event.target.value)}
        >
          <option value="">{t("filter.any_tag")}</option>
          {tags.map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
        </select>
      )}
      <select
        aria-label={t("filter.health")}
        className={look}
        value={filter.health ?? ""}
        onChange={(event) => set("health", (event.target.value || undefined) as Health | undefined)}
      >
        <option value="">{t("filter.any_health")}</option>
        <option value="ok">{t("health.ok")}</option>
        <option value="suspect">{t("health.suspect")}</option>
        <option value="quarantined">{t("health.quarantined")}</option>
      </select>
      <select
        aria-label={t("filter.online")}
        className={look}
        value={filter.online === undefined ? "" : String(filter.online)}
        onChange={(event) => set("online", event.target.value === "" ? undefined : event.target.value === "true")}
      >
        <option value="">{t("filter.any_online")}</option>
        <option value="true">{t("filter.online_only")}</option>
        <option value="false">{t("filter.offline_only")}</option>
      </select>
    </search>
  );
}
