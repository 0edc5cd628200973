/** Asks every node to look for phones anew, at addresses of the network too if some are given, and says how far they are. */

import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { Radar, Wifi } from "lucide-react";
import { useEffect, useState } from "react";
import { call } from "../../api/client";
import { scanQuery } from "../../api/queries";
import { Ask } from "../../components/Ask";
import { Button } from "../../components/Button";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";

export function ScanButton() {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const [isAsking, setIsAsking] = useState(false);
  const scan = useMutation({
    mutationFn: (addresses: string[]) => call("post", "/api/nodes/scan", { body: { addresses } }),
    onSuccess: () => setIsAsking(false),
  });
  const asked = scan.data?.scans ?? [];
  const scans = useQueries({ queries: asked.map(({ scan_id }) => scanQuery(scan_id)) }).flatMap(
    ({ data }) => data ?? [],
  );
  const ended = scans.filter(({ finished_at }) => finished_at !== null);
  const isGoing = scan.isPending || (asked.length > 0 && ended.length < asked.length);
  const problems = scans.flatMap(({ progress }) => (progress.problems as string[] | undefined) ?? []);
  const found = scans.reduce((sum, each) => sum + each.found, 0);
  useEffect(() => {
    if (asked.length > 0 && !isGoing) void client.invalidateQueries({ queryKey: ["devices"] });
  }, [asked.length, isGoing, client]);
  return (
    <div className="flex items-center gap-3">
      <span role="status" className="text-xs text-soft tabular-nums">
        {isGoing && t("scan.going", { ended: ended.length, total: asked.length })}
        {!isGoing && asked.length > 0 && t("scan.done", { count: found })}
        {problems.length > 0 && !isGoing && (
          <span className="ml-2 text-warn" title={problems.join("\n")}>
            {t("scan.problems", { count: problems.length })}
          </span>
        )}
        {scan.error && !isAsking && <span className="text-danger">{scan.error.message}</span>}
      </span>
      <Button disabled={!mayOperate || isGoing} onClick={() => setIsAsking(true)}>
        <Wifi size={15} aria-hidden="true" />
        {t("scan.network")}
      </Button>
      <Button disabled={!mayOperate || isGoing} onClick={() => scan.mutate([])}>
        <Radar size={15} aria-hidden="true" className={isGoing ? "animate-spin" : ""} />
        {t("scan.start")}
      </Button>
      {isAsking && (
        <Ask
          title={t("scan.network_title")}
          field={t("scan.addresses")}
          isRequired
          confirm={t("scan.connect")}
          isPending={scan.isPending}
          error={scan.error}
          onConfirm={(text) => scan.mutate(text.split(/[\s,]+/).filter((each) => each !== ""))}
          onClose={() => setIsAsking(false)}
        >
          {t("scan.network_hint")}
        </Ask>
      )}
    </div>
  );
}
