/** Maps the items of a list in their order, at most `size` of them at a time. */
export async function mapInChunks<Item, Result>(
  items: readonly Item[],
  size: number,
  map: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += size)
    results.push(...(await Promise.all(items.slice(from, from + size).map((item, index) => map(item, from + index)))))
  return results
}
