/** A node on the way of the search, with those of its successors that are still to be visited. */
interface Step {
  readonly node: string
  readonly rest: string[]
}

/**
 * Returns the sets of nodes of a graph in which each node can reach all others and itself (Kosaraju's algorithm). It takes linear
 * time, and no stack for long ways.
 */
export function findCycles(
  nodes: readonly string[],
  successors: (node: string) => readonly string[],
): ReadonlySet<string>[] {
  const next = new Map<string, readonly string[]>()
  const previous = new Map<string, string[]>()
  const finished = visitAll(nodes, (node) => {
    const found = successors(node)
    next.set(node, found)
    for (const to of found) addTo(previous, to, node)
    return found
  })
  const seen = new Set<string>()
  return finished
    .reverse()
    .map((node) => new Set(visit(node, (at) => previous.get(at) ?? [], seen)))
    .filter((set) => set.size > 1 || [...set].some((node) => next.get(node)?.includes(node)))
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Returns all nodes in the order in which the search leaves them. */
function visitAll(nodes: readonly string[], successors: (node: string) => readonly string[]): string[] {
  const seen = new Set<string>()
  return nodes.flatMap((node) => visit(node, successors, seen))
}

/** Returns the nodes that can be reached from a node and were not seen, in the order in which the search leaves them. */
function visit(start: string, successors: (node: string) => readonly string[], seen: Set<string>): string[] {
  if (seen.has(start)) return []
  const left: string[] = []
  const enter = (node: string): Step => {
    seen.add(node)
    return { node, rest: [...successors(node)] }
  }
  const path = [enter(start)]
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const to = step.rest.pop()
    if (to === undefined) {
      left.push(step.node)
      path.pop()
    } else if (!seen.has(to)) path.push(enter(to))
  }
  return left
}
