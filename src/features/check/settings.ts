import { choice, pickSettings, type ValuesOf } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const checkSettings = {
  ...pickSettings(serverSettings, 'contract', 'overlay', 'fixtures', 'scenario', 'rules', 'plan'),
  format: choice({
    of: ['text', 'json', 'github', 'markdown'],
    default: 'text',
    description:
      "The form of the findings: lines for people, one JSON document, GitHub's commands, " +
      'which annotate the lines of a pull request, or Markdown.',
  }),
}

/** The values of the settings of `check`. */
export type CheckSettings = ValuesOf<typeof checkSettings>
