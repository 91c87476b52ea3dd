export { type Settings, settingTable } from './config/settings.ts'
export { type Running, startSimulator } from './simulator/start.ts'
