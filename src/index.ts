export { type Settings, settingTable } from './settings.ts'
export { type Running, startSimulator } from './start.ts'
