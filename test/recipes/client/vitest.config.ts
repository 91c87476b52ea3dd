import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { globalSetup: 'conversation-analytics-simulator/global-setup', maxWorkers: 4 } })
