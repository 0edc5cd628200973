/** A command asset, new or changed: what it does is filled into a form that its action's schema makes. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Save } from "lucide-react";
import { type FormEvent, useMemo, useState } from "react";
import { ApiError, call } from "../../api/client";
import { actionsQuery, commandCheckQuery, commandsQuery } from "../../api/queries";
import type { ActionContract, ActionList, Command } from "../../api/schema";
import { Button, buttonLook } from "../../components/Button";
import { Empty, Failed, Loading, Refusal } from "../../components/Notices";
import { useMayOperate } from "../../components/useMayOperate";
import { useTitle } from "../../components/useTitle";
import { useWords } from "../../i18n/text";
import { CommandAbout, CommandBounds } from "./CommandParts";
import { type CommandDraft, commandBodyOf, commandDraftOf, EMPTY_COMMAND, twiceNamed } from "./commandDraft";
import { LeaveGuard } from "./LeaveGuard";
import { ParamRows } from "./ParamRows";
import { elsewhere, type Problem } from "./problems";
import { SchemaField } from "./SchemaField";
import { Section } from "./Section";
import { type FilledForm, fieldsOf, memberPath } from "./schemaFields";
import { Unplaced } from "./Unplaced";
import { useSettled } from "./useSettled";

const route = getRouteApi("/commands/asset/$name");

export function NewCommandPage() {
  return <CommandPage name={null} />;
}

export function EditCommandPage() {
  const { name } = route.useParams();
  return <CommandPage key={name} name={name} />;
}

function CommandPage({ name }: { name: string | null }) {
  const { t } = useWords();
  const actions = useQuery(actionsQuery);
  const commands = useQuery(commandsQuery);
  useTitle(name ?? t("commands.new"));
  const error = actions.error ?? commands.error;
  if (!actions.data || !commands.data) {
    return error ? <Failed error={error} onRetry={() => void commands.refetch()} /> : <Loading />;
  }
  const command = commands.data.find((each) => each.name === name);
  if (name !== null && !command) {
    return (
      <div className="card">
        <Empty title={t("commands.gone", { name })}>
          <Link to="/commands" search={{}} className="text-accent hover:underline">
            {t("commands.back")}
          </Link>
        </Empty>
      </div>
    );
  }
  return <CommandForm command={command ?? null} known={actions.data} />;
}

export function CommandForm({ command, known }: { command: Command | null; known: ActionList }) {
  const { t } = useWords();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const usable = useMemo(() => known.actions.filter((each) => each.modes.includes("device")), [known]);
  const [initial] = useState<CommandDraft>(() =>
    command
      ? commandDraftOf(
          command,
          usable.find((each) => each.name === command.uses),
        )
      : EMPTY_COMMAND,
  );
  const [draft, setDraft] = useState(initial);
  const [isTried, setIsTried] = useState(false);
  const action = usable.find((each) => each.name === draft.uses);
  const body = useMemo(() => commandBodyOf(draft, action), [draft, action]);
  const settled = useSettled(body);
  const check = useQuery(commandCheckQuery(settled));
  const save = useMutation({
    mutationFn: () =>
      command
        ? call("put", "/api/commands/{command_id}", { path: { command_id: command.command_id }, body })
        : call("post", "/api/commands", { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: commandsQuery.queryKey });
      void client.invalidateQueries({ queryKey: ["playbook-check"] });
      void client.invalidateQueries({ queryKey: ["playbooks"] });
      await navigate({ to: "/commands", search: {}, ignoreBlocker: true });
    },
  });
  const isDirty = draft !== initial && !save.isSuccess;
  const refused = save.error instanceof ApiError ? save.error : null;
  const isTaken = refused?.status === 409;
  const own: Problem[] = twiceNamed(draft).map((name) => ({
    path: memberPath("params", name),
    message: t("param_rows.twice"),
  }));
  const found = [
    ...(check.data?.problems ?? []),
    ...own,
    ...(isTaken ? [{ path: "name", message: refused.message }] : []),
  ];
  // What was not filled in yet is no mistake before somebody says that he is done.
  const problems = isTried ? found : found.filter((each) => !isUntouched(each.path, draft));
  function change(next: Partial<CommandDraft>): void {
    if (refused) save.reset();
    setDraft({ ...draft, ...next });
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    setIsTried(true);
    const isFresh = settled === body && !check.isPlaceholderData;
    const isWrong = isFresh && check.data !== undefined && check.data.problems.length > 0;
    if (!isWrong && own.length === 0) save.mutate();
  }
  return (
    <form onSubmit={submit} className="stack gap-5">
      <LeaveGuard isDirty={isDirty} />
      <div className="flex flex-wrap items-center gap-3">
        <h1>{command?.name ?? t("commands.new")}</h1>
        <div className="ml-auto flex gap-2">
          <Link to="/commands" search={{}} className={buttonLook()}>
            {t("commands.back")}
          </Link>
          {mayOperate && (
            <Button type="submit" look="primary" disabled={save.isPending}>
              <Save size={15} aria-hidden="true" />
              {t("commands.save")}
            </Button>
          )}
        </div>
      </div>
      {!mayOperate && <p className="text-soft">{t("builder.read_only")}</p>}
      {command && command.used_by.length > 0 && (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          {t("commands.affects", { names: command.used_by.join(", ") })}
        </p>
      )}
      <fieldset disabled={!mayOperate} className="stack gap-5">
        <Section title={t("commands.about")}>
          <CommandAbout draft={draft} problems={problems} onChange={change} />
        </Section>
        <Section title={t("commands.does")}>
          <ActionPicker
            actions={usable}
            uses={draft.uses}
            problems={problems}
            onChange={(uses) => change({ uses, with: {} })}
          />
          {action && (
            <ArgFields
              action={action}
              form={draft.with}
              problems={problems}
              onChange={(form) => change({ with: form })}
            />
          )}
        </Section>
        <Section title={t("commands.params")} hint={t("commands.params_hint", { open: "{{", close: "}}" })}>
          <ParamRows rows={draft.params} problems={problems} onChange={(params) => change({ params })} />
        </Section>
        <Section title={t("commands.care")}>
          <CommandBounds
            draft={draft}
            action={action}
            bounds={known.timeout_bounds_s}
            problems={problems}
            onChange={change}
          />
        </Section>
      </fieldset>
      <Unplaced problems={elsewhere(problems, PLACES)} />
      {!isTaken && <Refusal error={save.error} />}
      <p role="status" className={isTried && found.length > 0 ? "font-medium text-danger" : "sr-only"}>
        {isTried && found.length > 0 ? t("builder.problems", { count: found.length }) : ""}
      </p>
    </form>
  );
}

const PLACES = [
  "name",
  "title",
  "description",
  "tags",
  "uses",
  "with",
  "params",
  "timeout_s",
  "timeout_bounds_s",
  "on_failure",
  "retries",
  "repeatable",
];

/** The form that the action's schema makes. */
export function ArgFields(props: {
  action: ActionContract;
  form: FilledForm;
  problems: readonly Problem[];
  onChange: (form: FilledForm) => void;
}) {
  const { t } = useWords();
  const fields = useMemo(() => fieldsOf(props.action), [props.action]);
  if (fields.length === 0) return <p className="text-soft">{t("commands.no_args")}</p>;
  return (
    <div className="grid gap-4 border-t border-line pt-4 sm:grid-cols-2">
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          held={props.form[field.name]}
          path={memberPath("with", field.name)}
          problems={props.problems}
          onChange={(held) => props.onChange({ ...props.form, [field.name]: held })}
        />
      ))}
      {props.action.exclusive.map((names) => (
        <p key={names.join()} className="text-xs text-soft sm:col-span-2">
          {t("commands.exclusive", { names: names.join(", ") })}
        </p>
      ))}
    </div>
  );
}

function ActionPicker(props: {
  actions: readonly ActionContract[];
  uses: string;
  problems: readonly Problem[];
  onChange: (uses: string) => void;
}) {
  const { t } = useWords();
  const familyOf = (action: ActionContract) => action.name.split(".")[0] ?? "";
  const families = [...new Set(props.actions.map(familyOf))];
  const summary = props.actions.find((each) => each.name === props.uses)?.summary;
  const said = props.problems.filter((each) => each.path === "uses").map((each) => each.message);
  return (
    <div className="stack max-w-xl gap-1.5">
      <label htmlFor="uses" className="font-medium">
        {t("commands.action")}
      </label>
      <select
        id="uses"
        className="field"
        aria-invalid={said.length > 0}
        aria-describedby="uses-about"
        value={props.uses}
        onChange={(event) => props.onChange(event.target.value)}
      >
        {!props.actions.some((each) => each.name === props.uses) && <option value={props.uses}>{props.uses}</option>}
        {families.map((family) => (
          <optgroup key={family} label={family}>
            {props.actions
              .filter((each) => familyOf(each) === family)
              .map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      <span id="uses-about" className={said.length > 0 ? "text-xs font-medium text-danger" : "text-soft"}>
        {said.length > 0 ? said.join(" · ") : (summary ?? t("commands.choose_action"))}
      </span>
    </div>
  );
}

function isUntouched(path: string, draft: CommandDraft): boolean {
  if (path === "name") return draft.name === "";
  if (path === "uses") return draft.uses === "";
  const [, arg] = /^with\.(\w+)$/.exec(path) ?? [];
  return arg !== undefined && draft.with[arg] === undefined;
}
