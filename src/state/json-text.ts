/** Returns the JSON of an object without its braces, so that more members can be added. */
export function serializeMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}
