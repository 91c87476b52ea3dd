/** Groups scenarios by their family, in the order in which the families first occur. */
export function groupByFamily<Item extends { readonly family: string }>(items: readonly Item[]): [string, Item[]][] {
  const families = new Map<string, Item[]>()
  for (const item of items) families.set(item.family, [...(families.get(item.family) ?? []), item])
  return [...families]
}
