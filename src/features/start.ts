/** Starts a simulator with the control operations of all features, for the library and for tests. */
import './mcp/mcp.ts'

export { start, startFromCode } from '../server/simulator/start.ts'
