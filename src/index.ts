export type { Report } from './reports/report.ts'
export type { ExampleRequest } from './simulator/example-request.ts'
export { type LibrarySettings, type RunningSimulator, startSimulator } from './simulator/start.ts'
