/** The wallet of one agent as tools for models (MCP). */
export { createWalletServer, type WalletServerOptions } from './server.ts'
export { REFUSAL_CODES, ToolRefusal } from './tool-refusal.ts'
export { MAX_PAGE_BYTES } from './tools/paid-url.ts'
export { type ActingRequest, memoryPins, type Pins, type Wallet } from './wallet.ts'
