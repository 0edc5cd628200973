import type { ReactNode } from "react";

export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="card stack gap-4 p-5">
      <div>
        <h2>{title}</h2>
        {hint && <p className="mt-1 max-w-2xl text-soft">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
