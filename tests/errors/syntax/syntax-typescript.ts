interface Plan {
  layers: number;
}

const plan: Plan = { layers: 4 };
export default plan;
