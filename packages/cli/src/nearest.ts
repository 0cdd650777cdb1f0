export { nearest } from '@cairn/protocol/nearest';
