/** The rules of manners, by name, each with its sentence for the report. */
export const mannersRules = {
  'retry-after': 'After a 429 or 503 with Retry-After the client waits as long as it says.',
  'back-off': 'After a 429, a 5xx or a lost answer the client waits before it asks again, and not ever shorter.',
  'same-insert-id': 'An event that is sent again after a 5xx or a lost answer has the insertId that it had.',
  'no-retry': 'A request that was refused with 400, 401, 403 or 404 is not sent again unchanged.',
  'content-type': 'A request with a body says what type it has.',
  'user-agent': 'A request says who sends it.',
} as const

export type MannersRule = keyof typeof mannersRules
