// Models earthquakes as records. The event itself, with its time and place, is a thing. Its strength is a claim of a
// network, and its effects are claims of people. Both are assertions, and others may disagree.
import type { Operation } from '@cairn/sdk';
import type { Row } from './csv.ts';

export const SHAPES = {
  Network: { label: 'string' },
  Region: { label: 'string' },
  Event: {
    at: { type: 'number', integer: true, indexed: true, description: 'Milliseconds since 1970' },
    type: { type: 'string', enum: ['earthquake', 'explosion', 'quarry blast'], indexed: true },
    place: 'string',
    region: { type: 'wref', shape: 'Region' },
    latitude: { type: 'number', minimum: -90, maximum: 90 },
    longitude: { type: 'number', minimum: -180, maximum: 180 },
    depthKm: { type: 'number', indexed: true, description: 'Below sea level' },
  },
  Magnitude: {
    value: { type: 'number', indexed: true },
    scale: 'string',
    by: { type: 'wref', shape: 'Network' },
    reviewed: { type: 'boolean', description: 'By a person, not by the computer alone' },
    'stations?': { type: 'number', integer: true },
  },
  Felt: {
    reports: { type: 'number', integer: true, minimum: 1, indexed: true },
    intensity: { type: 'number', minimum: 0, maximum: 12, description: 'The highest that was reported' },
  },
};

const NETWORKS: Readonly<Record<string, string>> = {
  ak: 'Alaska Earthquake Center',
  ci: 'Southern California Seismic Network',
  hv: 'Hawaiian Volcano Observatory',
  mb: 'Montana Bureau of Mines and Geology',
  nc: 'Northern California Seismic Network',
  nm: 'New Madrid Seismic Network',
  nn: 'Nevada Seismological Laboratory',
  pr: 'Puerto Rico Seismic Network',
  se: 'Southeastern United States networks',
  us: 'National Earthquake Information Center',
  uu: 'University of Utah Seismograph Stations',
  uw: 'Pacific Northwest Seismic Network',
};

/** Yields referenced records first: a reference needs a target when it is written. */
export function* operationsOf(rows: Iterable<Row>): Generator<Operation> {
  for (const [code, label] of Object.entries(NETWORKS)) yield { name: `Network/${code}`, data: { label } };
  const regions = new Set<string>();
  for (const row of rows) {
    const region = regionOf(row);
    if (!regions.has(region)) yield { name: regionName(region), data: { label: region } };
    regions.add(region);
    yield eventOf(row, regionName(region));
    yield magnitudeOf(row);
    if (Number(row.felt) > 0) yield feltOf(row);
  }
}

/** `35km S of Jarm, Afghanistan` is in Afghanistan. Far from land, the place is itself the name of a region. */
function regionOf({ place = '' }: Row): string {
  return place.split(', ').at(-1) ?? place;
}

const regionName = (region: string) => `Region/${region.replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')}`;

function eventOf({ id, time, type, place, latitude, longitude, depthKm }: Row, region: string): Operation {
  const position = { latitude: Number(latitude), longitude: Number(longitude), depthKm: Number(depthKm) };
  return { name: `Event/${id}`, data: { at: Number(time), type, place, region, ...position } };
}

function magnitudeOf({ id, magnitude, scale, network, status, stations }: Row): Operation {
  const counted = stations === '' ? {} : { stations: Number(stations) };
  const data = {
    value: Number(magnitude),
    scale,
    by: `Network/${network}`,
    reviewed: status === 'reviewed',
    ...counted,
  };
  return { name: `Magnitude/${id}`, about: `Event/${id}`, data };
}

function feltOf({ id, felt, intensity }: Row): Operation {
  return { name: `Felt/${id}`, about: `Event/${id}`, data: { reports: Number(felt), intensity: Number(intensity) } };
}
