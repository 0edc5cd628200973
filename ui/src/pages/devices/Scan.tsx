/** Asks every node to look for phones anew, and says how far they are. */

import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { Radar } from "lucide-react";
import { useEffect } from "react";
import { call } from "../../api/client";
import { scanQuery } from "../../api/queries";
import { Button } from "../../components/Button";
import { useMayOperate } from "../../components/useMayOperate";
import { useWords } from "../../i18n/text";

export function ScanButton() {
  const { t } = useWords();
  const client = useQueryClient();
  const mayOperate = useMayOperate();
  const scan = useMutation({ mutationFn: () => call("post", "/api/nodes/scan", { body: {} }) });
  const asked = scan.data?.scans ?? [];
  const scans = useQueries({ queries: asked.map(({ scan_id }) => scanQuery(scan_id)) }).flatMap(
    ({ data }) => data ?? [],
  );
  const ended = scans.filter(({ finished_at }) => finished_at !== null);
  const isGoing = scan.isPending || (asked.length > 0 && ended.length < asked.length);
  const found = scans.reduce((sum, each) => sum + each.found, 0);
  useEffect(() => {
    if (asked.length > 0 && !isGoing) void client.invalidateQueries({ queryKey: ["devices"] });
  }, [asked.length, isGoing, client]);
  return (
    <div className="flex items-center gap-3">
      <span role="status" className="text-xs text-soft tabular-nums">
        {isGoing && t("scan.going", { ended: ended.length, total: asked.length })}
        {!isGoing && asked.length > 0 && t("scan.done", { count: found })}
        {scan.error && <span className="text-danger">{scan.error.message}</span>}
      </span>
      <Button disabled={!mayOperate || isGoing} onClick={() => scan.mutate()}>
        <Radar size={15} aria-hidden="true" className={isGoing ? "animate-spin" : ""} />
        {t("scan.start")}
      </Button>
    </div>
  );
}
