import type { ParamSpec } from "../../api/schema";
import { useWords } from "../../i18n/text";
import { isRequired, type ParamTexts } from "./params";

interface ParamFieldsProps {
  params: readonly [string, ParamSpec][];
  texts: ParamTexts;
  onChange: (texts: ParamTexts) => void;
  /** The parameter that the server refused, if it did. */
  wrong?: string | null;
}

/** A form for a recipe's parameters, made of what the recipe says of them. */
export function ParamFields({ params, texts, onChange, wrong = null }: ParamFieldsProps) {
  const { t } = useWords();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {params.map(([name, spec]) => (
        <label key={name} htmlFor={`param-${name}`} className="grid content-start gap-1.5">
          <span className="font-medium">
            <code className="text-[13px]">{name}</code>
            <span className="ml-2 text-xs font-normal text-faint">
              {isRequired(spec) ? t("params.required") : t("params.optional")}
              {spec.secret && ` · ${t("params.secret")}`}
            </span>
          </span>
          <Field
            name={name}
            spec={spec}
            text={texts[name] ?? ""}
            isWrong={wrong === name}
            onChange={(text) => onChange({ ...texts, [name]: text })}
          />
          {spec.description && <span className="text-xs text-soft">{spec.description}</span>}
        </label>
      ))}
    </div>
  );
}

interface FieldProps {
  name: string;
  spec: ParamSpec;
  text: string;
  isWrong: boolean;
  onChange: (text: string) => void;
}

function Field({ name, spec, text, isWrong, onChange }: FieldProps) {
  const shared = {
    id: `param-${name}`,
    name,
    className: "field",
    "aria-invalid": isWrong,
    required: isRequired(spec),
    value: text,
  };
  if (spec.type === "boolean" || spec.type === "enum") {
    const choices = spec.type === "boolean" ? ["true", "false"] : (spec.choices ?? []);
    return (
      <select {...shared} onChange={(event) => onChange(event.target.value)}>
        {!choices.includes(text) && <option value={text} />}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = spec.type === "number" || spec.type === "int";
  return (
    <input
      {...shared}
      type={spec.secret ? "password" : isNumber ? "number" : "text"}
      autoComplete="off"
      {...(isNumber ? { step: spec.type === "int" ? 1 : "any" } : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
