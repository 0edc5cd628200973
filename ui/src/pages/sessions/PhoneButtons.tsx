/** What a phone has besides its screen: its buttons, and a field for text that a keyboard cannot send key by key. */

import { Circle, CornerDownLeft, type LucideIcon, Power, Square, Triangle, Volume1, Volume2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Touch } from "../../api/schema";
import { Button } from "../../components/Button";
import type { MessageKey } from "../../i18n/en";
import { useWords } from "../../i18n/text";

const BUTTONS: { key: string; name: MessageKey; icon: LucideIcon; turn?: string }[] = [
  { key: "BACK", name: "phone.back", icon: Triangle, turn: "-rotate-90" },
  { key: "HOME", name: "phone.home", icon: Circle },
  { key: "APP_SWITCH", name: "phone.recents", icon: Square },
  { key: "VOLUME_DOWN", name: "phone.volume_down", icon: Volume1 },
  { key: "VOLUME_UP", name: "phone.volume_up", icon: Volume2 },
  { key: "POWER", name: "phone.power", icon: Power },
];

interface PhoneButtonsProps {
  onTouch: (touch: Touch) => void;
}

export function PhoneButtons({ onTouch }: PhoneButtonsProps) {
  const { t } = useWords();
  return (
    <fieldset className="flex justify-center gap-1.5">
      <legend className="sr-only">{t("phone.buttons")}</legend>
      {BUTTONS.map(({ key, name, icon: Icon, turn }) => (
        <Button
          key={key}
          title={t(name)}
          aria-label={t(name)}
          className="w-11 !px-0"
          onClick={() => onTouch({ kind: "key", key })}
        >
          <Icon size={15} aria-hidden="true" className={turn ?? ""} />
        </Button>
      ))}
    </fieldset>
  );
}

export function TypeText({ onTouch }: PhoneButtonsProps) {
  const { t } = useWords();
  const [text, setText] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text === "") return;
    onTouch({ kind: "text", text });
    setText("");
  }
  return (
    <form onSubmit={submit} className="flex gap-2">
      <input
        className="field"
        aria-label={t("phone.text")}
        placeholder={t("phone.text")}
        value={text}
        maxLength={1000}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={text === ""}>
        <CornerDownLeft size={14} aria-hidden="true" />
        {t("phone.type")}
      </Button>
    </form>
  );
}
