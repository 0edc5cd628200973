/** Tests by devices: a row each, a column each, and a mark where they meet. */

import { memo } from "react";
import type { Case, CaseDevice, CaseResult } from "../../../api/schema";
import type { CaseKey } from "../../../api/tests";
import { StateMark } from "../../../components/StateMark";
import { useWords, type Words } from "../../../i18n/text";
import { CaseName } from "./CaseName";
import { latestByDevice, tileOfVerdict } from "./cases";

interface MatrixProps {
  devices: readonly CaseDevice[];
  cases: readonly Case[];
  open: CaseKey | undefined;
  onOpen: (key: CaseKey) => void;
  onDevice: (index: number) => void;
}

export function Matrix({ devices, cases, open, onOpen, onDevice }: MatrixProps) {
  const { t } = useWords();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="card max-h-[75dvh] overflow-auto" aria-label={t("tests.matrix")} tabIndex={0}>
      <table className="w-full border-separate border-spacing-0 text-left" data-testid="matrix">
        <thead>
          <tr>
            <th
              scope="col"
              className="sticky top-0 left-0 z-20 border-b border-line bg-surface px-4 py-2 text-xs font-medium text-faint"
            >
              {t("tests.test")}
            </th>
            {devices.map((device) => (
              <th key={device.device_id} scope="col" className="sticky top-0 z-10 border-b border-line bg-surface py-2">
                <button
                  type="button"
                  title={device.serial}
                  aria-label={t("device.number", { index: String(device.index) })}
                  onClick={() => onDevice(device.index)}
                  className="mx-auto block min-w-7 px-0.5 text-center text-xs font-medium text-soft tabular-nums hover:text-accent"
                >
                  {device.index}
                </button>
              </th>
            ))}
            <td className="sticky top-0 z-10 w-full border-b border-line bg-surface" />
          </tr>
        </thead>
        <tbody>
          {cases.map((each) => (
            <Row
              key={`${each.step}\n${each.class_name}\n${each.name}`}
              of={each}
              devices={devices}
              isOpen={open?.[0] === each.step && open[1] === each.class_name && open[2] === each.name}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function labelOf(result: CaseResult, test: string, { t, duration }: Words): string {
  const verdict = t(`verdict.${result.status}`);
  const told = t("tests.cell", { test, index: String(result.index), verdict, time: duration(result.duration_s) });
  return result.try > 1 ? `${told}, ${t("tests.try", { n: result.try })}` : told;
}

interface RowProps {
  of: Case;
  devices: readonly CaseDevice[];
  isOpen: boolean;
  onOpen: (key: CaseKey) => void;
}

const Row = memo(function Row({ of, devices, isOpen, onOpen }: RowProps) {
  const words = useWords();
  const latest = latestByDevice(of.results);
  const show = () => onOpen([of.step, of.class_name, of.name]);
  return (
    <tr data-test={of.name} data-verdict={of.verdict} className="group">
      <th
        scope="row"
        className={`sticky left-0 z-[5] w-[1%] max-w-[38vw] min-w-36 border-b border-line px-4 py-1.5 font-normal group-hover:bg-raised md:max-w-80 ${isOpen ? "bg-accent-soft" : "bg-surface"}`}
      >
        <CaseName of={of} onOpen={show} />
      </th>
      {devices.map(({ device_id: id, index }) => {
        const result = latest.get(index);
        const label = result ? labelOf(result, of.name, words) : "";
        return (
          <td key={id} className="border-b border-line p-0 text-center group-hover:bg-raised">
            {result && (
              // The row's name is how the keyboard opens it: thousands of stops would be none.
              <button
                type="button"
                tabIndex={-1}
                aria-label={label}
                title={result.message ? `${label}\n${result.message}` : label}
                data-status={result.status}
                onClick={show}
                className="relative mx-auto grid size-7 place-items-center rounded hover:bg-line"
              >
                <StateMark state={tileOfVerdict(result.status)} size={16} />
                {result.try > 1 && (
                  <span
                    aria-hidden="true"
                    data-try={result.try}
                    className="absolute right-0 bottom-0 text-[9px] font-bold text-warn after:content-[attr(data-try)]"
                  />
                )}
              </button>
            )}
          </td>
        );
      })}
      <td className="border-b border-line group-hover:bg-raised" />
    </tr>
  );
});
