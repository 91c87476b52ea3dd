import { defineCommand } from '../../command-line/process/command.ts'
import { upstreamTimeout } from '../../server/settings/further-settings.ts'
import { defaultSettings, serverSettings } from '../../server/settings/settings.ts'
import { upstreamTokenVariable } from '../../server/upstream/parse-upstream.ts'

// The settings for state, plans, rate limits and models are left out, since these belong to the real service.
const { state, statePrefix, replica, sync, seedState, ...stateless } = serverSettings
const { plan, maxAnalysesPerHour, analysesWindow, models, xRateLimit, ...shared } = stateless

export const proxyCommand = defineCommand({
  name: 'proxy',
  usage: 'UPSTREAM [options]',
  operands: 'the URL of the real service',
  purpose: 'Serve',
  summary: 'Forward requests to the real service, and check the traffic',
  description:
    'Forward requests to the real service, check requests and responses against the contract, and record both. ' +
    "The proxy also applies scenarios. CONVSIM_UPSTREAM_TOKEN, if set, replaces the client's token.",
  examples: [
    'proxy https://api.example.com/v1',
    'proxy https://api.example.com/v1 --report report.html --fail-on violation,unexpected',
  ],
  settings: {
    ...shared,
    upstreamTimeout,
  },
  variables: [upstreamTokenVariable],
  async run({ args, settings, ...line }, context) {
    const { createProxy, readProxyTarget } = await import('./proxy.ts')
    const target = readProxyTarget(args, settings, context.host.env)
    if (!target.ok) {
      context.printError(`convsim proxy: ${target.error}`)
      return 1
    }
    const { serve } = await import('../../command-line/serve/serve.ts')
    const all = { ...defaultSettings(), ...settings, state: ':memory:' }
    return serve({ ...line, settings: all }, context, createProxy(target.value, all))
  },
})
