/** All phones, node by node: how they are, and what to do to many of them at once. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { devicesQuery } from "../../api/queries";
import type { Device } from "../../api/schema";
import { deviceTiles } from "../../components/deviceTiles";
import { HeatmapPanel } from "../../components/heatmap/Panel";
import type { TileState } from "../../components/heatmap/states";
import { Empty, Failed, Loading } from "../../components/Notices";
import { countTags } from "../../components/tags";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { BulkBar } from "./BulkBar";
import { DeviceDetails } from "./DeviceDetails";
import { type DeviceFilter, Filters, matches } from "./Filters";
import { ScanButton } from "./Scan";

const STATES: readonly TileState[] = ["idle", "running", "waiting", "quarantined", "offline"];
const NOBODY: ReadonlySet<number> = new Set();
const route = getRouteApi("/devices");

export function DevicesPage() {
  const words = useWords();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: devices, error, refetch } = useQuery(devicesQuery);
  const [selected, setSelected] = useState<ReadonlySet<number>>(NOBODY);
  useTitle(words.t("nav.devices"));
  const open = search.device;
  const filter = useMemo((): DeviceFilter => withoutDevice(search), [search]);
  const shown = useMemo(() => (devices ?? []).filter((device) => matches(device, filter)), [devices, filter]);
  const tags = useMemo(() => countTags(devices ?? []).map(([tag]) => tag), [devices]);
  const tiles = useMemo(() => deviceTiles(shown, words), [shown, words]);
  if (!devices) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  const change = (next: DeviceFilter) => void navigate({ search: next, replace: true });
  const show = (index: number | undefined) =>
    void navigate({ search: { ...filter, ...(index === undefined ? {} : { device: index }) }, replace: true });
  const shownDevice = devices.find((device) => device.index_no === open);
  const chosen: Device[] = devices.filter((device) => selected.has(device.index_no));
  return (
    <div className="stack gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h1>{words.t("nav.devices")}</h1>
        <span className="text-soft tabular-nums">{words.t("devices.count", { count: devices.length })}</span>
        <div className="ml-auto">
          <ScanButton />
        </div>
      </div>
      {devices.length === 0 ? (
        <div className="card">
          <Empty title={words.t("devices.none")}>{words.t("devices.none_hint")}</Empty>
        </div>
      ) : (
        <>
          <Filters devices={devices} filter={filter} onChange={change} />
          <div className="flex gap-5">
            <div className="stack min-w-0 flex-1 content-start gap-3">
              {tiles.length === 0 ? (
                <div className="card">
                  <Empty title={words.t("devices.none_such")} />
                </div>
              ) : (
                <HeatmapPanel
                  tiles={tiles}
                  states={STATES}
                  label={words.t("devices.heatmap")}
                  open={open}
                  onOpen={(index) => show(index === open ? undefined : index)}
                  selected={selected}
                  onSelect={setSelected}
                />
              )}
              <p className="text-xs text-faint">{words.t("devices.hint")}</p>
            </div>
            {shownDevice && (
              <DeviceDetails
                key={shownDevice.device_id}
                device={shownDevice}
                knownTags={tags}
                onClose={() => show(undefined)}
              />
            )}
          </div>
          {chosen.length > 0 && <BulkBar devices={chosen} known={tags} onDone={() => setSelected(NOBODY)} />}
        </>
      )}
    </div>
  );
}

function withoutDevice({ device: _, ...filter }: DeviceFilter & { device?: number }): DeviceFilter {
  return filter;
}
