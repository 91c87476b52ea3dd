export { type Settings, settingTable } from './config/settings.ts'
export { type RunningSimulator, startSimulator } from './simulator/start.ts'
