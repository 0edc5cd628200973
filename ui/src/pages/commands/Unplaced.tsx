import type { Problem } from "./problems";

/** What the server says of places that no field stands for. */
export function Unplaced({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="rounded-lg bg-danger-soft px-3 py-2 text-danger">
      {problems.map((each) => (
        <li key={`${each.path}${each.message}`}>
          {each.path && <code>{each.path} </code>}
          {each.message}
        </li>
      ))}
    </ul>
  );
}
