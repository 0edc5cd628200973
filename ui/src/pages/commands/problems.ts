/** Which of the server's messages belongs beside which field. */

export interface Problem {
  path: string;
  message: string;
}

/** What is said of this very place. */
export function at(problems: readonly Problem[], path: string): string[] {
  return problems.filter((each) => each.path === path).map((each) => each.message);
}

/** What is said of this place and of what is inside it. */
export function within(problems: readonly Problem[], path: string): string[] {
  return problems.filter((each) => isWithin(each.path, path)).map((each) => each.message);
}

/** What belongs to none of the places that a form has. */
export function elsewhere(problems: readonly Problem[], places: readonly string[]): Problem[] {
  return problems.filter((each) => !places.some((place) => isWithin(each.path, place)));
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
