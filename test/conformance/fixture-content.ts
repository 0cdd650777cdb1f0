// Content of the fixtures: a minimal image, a minimal sound, and the capabilities of a client.
import {
  type AudioContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ImageContent,
  type ServerContext,
} from '@modelcontextprotocol/server';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const IMAGE: ImageContent = { type: 'image', data: PIXEL, mimeType: 'image/png' };
export const AUDIO: AudioContent = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' };

export const text = (words: string) => ({ type: 'text' as const, text: words });

export function declaredBy({ mcpReq: { envelope } }: ServerContext): ClientCapabilities {
  return (envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
