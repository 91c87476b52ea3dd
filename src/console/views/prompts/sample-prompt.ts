import { sampleEvent } from '../../ui/curl.ts'

/** Returns a prompt that the service accepts. */
export const samplePrompt = (
  externalPromptId: unknown = 'order-assistant',
  content = 'You answer questions about orders of {{customer}}.',
) => ({
  name: 'Order assistant',
  externalPromptId,
  productId: sampleEvent.productId,
  role: 'assistant',
  components: [{ type: 'system', content }],
})
